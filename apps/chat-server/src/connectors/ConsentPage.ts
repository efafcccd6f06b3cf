/** The page on which a person lets a connector in. It needs no script, and what a client says of itself stands there as text. */
import { createHash } from "node:crypto"

/** The question that a person decides. */
export interface Consent {
  /** The client's own name. */
  readonly client: string
  /** Where the browser goes afterwards. */
  readonly redirect: string
  readonly profile: string
  /** The rights of its calls, in words. */
  readonly may: string
  /** The name of the person who is signed in; null while nobody is, undefined where the server has no people. */
  readonly person: string | null | undefined
  /** Why the last try was refused; null for none. */
  readonly problem: string | null
}

const STYLE = "html{color-scheme:light dark;font:1.1rem/1.5 system-ui,sans-serif}" +
  "body{max-width:32rem;margin:12vh auto;padding:0 1rem}h1{font-size:1.4rem}" +
  "input,button{font:inherit;padding:.4rem .6rem}input{width:100%;box-sizing:border-box;margin:.3rem 0 1rem}" +
  "button{margin-right:.5rem}.problem{color:#b3261e}@media(prefers-color-scheme:dark){.problem{color:#f2b8b5}}"

/** Where the form leads in the end is the client's address, and browsers ask whether a form may lead there. */
const policy = (redirect: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    "base-uri 'none'",
    `form-action 'self' ${sourceOf(redirect)}`,
    "frame-ancestors 'none'"
  ].join("; ")

/** A scheme of an application has no origin. */
const sourceOf = (redirect: string): string => {
  const url = URL.parse(redirect)
  if (url === null) return ""
  return url.origin === "null" ? url.protocol : url.origin
}

/** The headers of the page. */
export const headersOf = ({ redirect }: Consent) => ({
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "content-security-policy": policy(redirect)
})

export const bodyOf = ({ client, may, person, problem, profile, redirect }: Consent): string =>
  [
    "<!doctype html>",
    "<html lang=\"en\">",
    "<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Let a connector in</title>",
    `<style>${STYLE}</style></head>`,
    `<body><h1>Let ${escaped(client)} use your MCP servers?</h1>`,
    `<p>It calls itself that; BooCode cannot check the name. It gets the profile <b>${escaped(profile)}</b>: ${
      escaped(may)
    }</p>`,
    `<p>Afterwards you go back to <b>${escaped(placeOf(redirect))}</b>. Go on only if you began there.</p>`,
    problem === null ? "" : `<p class="problem" role="alert">${escaped(problem)}</p>`,
    "<form method=\"post\">",
    ...proof(person),
    "<button name=\"answer\" value=\"no\" formnovalidate>No</button>",
    "</form></body></html>",
    ""
  ].join("\n")

const YES = "<button name=\"answer\" value=\"yes\">Let it in</button>"

/** The part of the form by which the server knows who says yes. */
const proof = (person: Consent["person"]): ReadonlyArray<string> => {
  if (person === undefined) {
    return [
      "<label>The token of this server<input type=\"password\" name=\"token\" autocomplete=\"current-password\" autofocus></label>",
      YES
    ]
  }
  return person === null
    ? [
      "<p><a href=\"/\" target=\"_blank\" rel=\"noopener\">Sign in to BooCode</a> in this browser, " +
      "then <a href=\"\">come back to this page</a>.</p>"
    ]
    : [`<p>You are signed in as <b>${escaped(person)}</b>. It will act as you.</p>`, YES]
}

const placeOf = (redirect: string): string => {
  const url = URL.parse(redirect)
  if (url === null) return redirect
  return url.host === "" ? url.protocol.slice(0, -1) : url.host
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
