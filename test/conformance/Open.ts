/** Scenarios of the suite that no revision scores and that this client does not pass, or that check nothing of it, and why. */
export interface Open {
  readonly scenario: string
  readonly reason: string
}

const DPOP = "tokens bound to a key of the client (DPoP, an extension) are not used: tokens are bearer tokens"
const SKILLS = "skills (an extension) are not asked for, so the suite has nothing to check"

export const open: ReadonlyArray<Open> = [
  { scenario: "auth/dpop", reason: DPOP },
  { scenario: "auth/dpop-nonce", reason: DPOP },
  {
    scenario: "auth/enterprise-managed-authorization",
    reason: "no entry names an identity provider of a company (an extension)"
  },
  {
    scenario: "auth/wif-jwt-bearer",
    reason: "no entry names a token of the machine it runs on (an extension)"
  },
  { scenario: "sep-2640-client-no-prefetch", reason: SKILLS },
  { scenario: "sep-2640-client-verify-digest", reason: SKILLS },
  { scenario: "sep-2640-client-verify-size", reason: SKILLS },
  { scenario: "sep-2640-client-verify-frontmatter", reason: SKILLS }
]
