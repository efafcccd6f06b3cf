/**
 * Texts that look like a key: what a provider of a service gives out to sign in with. A value that does is hidden, so a
 * false alarm does no harm. `KeyShape` of language-models, which imports no package, refuses names and must be stricter.
 */

/** How the keys of well-known services begin. */
const KNOWN = new RegExp(
  `^(?:${
    [
      ...[
        "sk-",
        "sk_",
        "pk_live_",
        "rk_live_",
        "ghp_",
        "gho_",
        "ghs_",
        "ghu_",
        "github_pat_",
        "glpat-",
        "xox[abeprs]-"
      ],
      ...[
        "AIza",
        "gsk_",
        "AKIA",
        "ASIA",
        "hf_",
        "npm_",
        "r8_",
        "pplx-",
        "xai-",
        "tvly-",
        "lin_api_",
        "ntn_",
        "secret_"
      ],
      ...["sbp_", "dckr_pat_", "ctx7sk", "shpat_", "eyJ[A-Za-z0-9_-]{8,}\\."]
    ].join("|")
  })[A-Za-z0-9_.-]{8,}$`
)

/** Letters and digits mixed, and nothing that a path, a package or a word would have. */
const RANDOM = /^(?=(?:.*\d){3})(?=(?:.*[a-zA-Z]){3})[a-zA-Z0-9_+/=-]{24,}$/

/** True for a text that looks like a key. A hash of a commit and the like count as one: nothing tells them apart. */
export const isKey = (text: string): boolean =>
  KNOWN.test(text) || RANDOM.test(text) && !text.includes("/") && longestRun(text) >= 16

/** Words joined by dashes are no key. */
const longestRun = (text: string): number => Math.max(...text.split(/[-_+/=]/).map(({ length }) => length))
