/**
 * The addresses that browsers come back to after a login.
 */
import { isSecure } from "@boocode/mcp-client/Text"
import type { OAuth } from "@boocode/mcp-config"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { createHash } from "node:crypto"

/** The same at a server and at a command: whoever registers this program by hand registers one path. */
export const PATH = "/oauth/callback"

/** Where an entry wants people to come back to; null where it leaves that to whoever asks. */
export const ofEntry = (oauth: OAuth | false | undefined): string | null => {
  if (oauth === undefined || oauth === false) return null
  return oauth.redirectUri ?? (oauth.callbackPort === null ? null : here(oauth.callbackPort))
}

/** An address of this machine; port 0 is any. */
export const here = (port: number): string => `http://127.0.0.1:${port}${PATH}`

/** Whether an address is one of the machine that whoever reads it runs on, over plain http. */
export const isHere = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.protocol === "http:" && url.hash === "" && isSecure(url)
}

/** Whether a text is the address that a visit with this `state` ends at. What else it carries is for others to judge. */
export const isAnswer = (text: string, redirectUri: string, state: string): boolean => {
  const given = URL.parse(text.trim())
  const meant = URL.parse(redirectUri)
  return given !== null && meant !== null && given.origin === meant.origin && given.pathname === meant.pathname &&
    given.searchParams.get("state") === state
}

// What a browser shows that came back from an authorization server. It needs no script, and holds nothing of the address
// it came by.

export interface CallbackPage {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const STYLE = "html{color-scheme:light dark;font:1.1rem/1.5 system-ui,sans-serif}" +
  "body{max-width:32rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.4rem}"

/** Nothing is loaded, nothing is sent, and nobody may put it into a frame. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${
    createHash("sha256").update(STYLE).digest("base64")
  }'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/** A heading and sentences, whatever they hold. */
export const makePage = (status: number, title: string, ...sentences: ReadonlyArray<string>): CallbackPage => ({
  status,
  headers: HEADERS,
  body: [
    "<!doctype html>",
    "<html lang=\"en\">",
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>`,
    `<style>${STYLE}</style></head>`,
    `<body><h1>${escaped(title)}</h1>${sentences.map((one) => `<p>${escaped(one)}</p>`).join("")}</body>`,
    "</html>",
    ""
  ].join("\n")
})

/** For who has what came back, and tells elsewhere what becomes of it. */
export const arrived = makePage(
  200,
  "BooCode has the answer",
  "Where you began to sign in it says how it went. You can close this window."
)

/** For an address that no login waits for. */
export const unknown = makePage(
  400,
  "No login waits for this",
  "It was answered already, took longer than 10 minutes, or was never begun here.",
  "Begin another one, and stay in this browser."
)

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

// Where a browser comes back to that is sent to a login by a request: this server where authorization servers would send
// it there, else the machine that the browser runs on.

type Request = HttpServerRequest.HttpServerRequest

/**
 * This server's own address, for who made a request whose `Host` was found to be ours; null where nobody would send codes
 * there: over plain http only a machine itself is a place for them.
 */
export const own = (request: Request): string | null => {
  const url = URL.parse(`${isHttps(request) ? "https" : "http"}://${request.headers["host"] ?? ""}${PATH}`)
  return url !== null && isSecure(url) ? url.href : null
}

/** Where nothing listens, so that a person copies the address that their browser ends at. */
export const nowhere = (request: Request): string =>
  here(Number(URL.parse(`http://${request.headers["host"] ?? ""}`)?.port || "80"))

/** Only a proxy in front speaks https. Whoever claims it in vain is sent to where nobody answers. */
export const isHttps = ({ headers }: Request): boolean =>
  (headers["origin"] ?? "").startsWith("https://") || /^https\b/i.test(headers["x-forwarded-proto"] ?? "")
