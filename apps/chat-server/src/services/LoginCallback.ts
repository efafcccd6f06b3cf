/** The addresses that browsers come back to after a login. */
import { isSecure } from "@boocode/mcp-client/Text"
import type { OAuth } from "@boocode/mcp-config"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { createHash } from "node:crypto"
import { isHttps } from "../access/SessionCookie.ts"

/** Server and commands share it, so that a person who registers this program by hand registers one path. */
export const PATH = "/oauth/callback"

/** The address that an entry wants browsers to come back to; null where it leaves that open. */
export const ofEntry = (oauth: OAuth | false | undefined): string | null => {
  if (oauth === undefined || oauth === false) return null
  return oauth.redirectUri ?? (oauth.callbackPort === null ? null : here(oauth.callbackPort))
}

/** An address of this machine; port 0 is any. */
export const here = (port: number): string => `http://127.0.0.1:${port}${PATH}`

/** Whether an address is plain http and leads to the machine that opens it. */
export const isHere = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.protocol === "http:" && url.hash === "" && isSecure(url)
}

/** Whether a text is the address that a visit with this `state` ends at. The rest of it is for others to judge. */
export const isAnswer = (text: string, redirectUri: string, state: string): boolean => {
  const given = URL.parse(text.trim())
  const meant = URL.parse(redirectUri)
  return given !== null && meant !== null && given.origin === meant.origin && given.pathname === meant.pathname &&
    given.searchParams.get("state") === state
}

/** The page for a browser that came back from an authorization server. It needs no script, and holds nothing of the address. */
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

/** The answer arrived at a program that shows elsewhere how the login went. */
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

type Request = HttpServerRequest.HttpServerRequest

/**
 * This server's own address as a request names it, whose `Host` was found to be ours. Null where no authorization server
 * sends codes: over plain http they only go to the machine itself.
 */
export const own = (request: Request): string | null => {
  const url = URL.parse(`${isHttps(request) ? "https" : "http"}://${request.headers["host"] ?? ""}${PATH}`)
  return url !== null && isSecure(url) ? url.href : null
}

/** Where nothing listens, so that a person copies the address that their browser ends at. */
export const nowhere = (request: Request): string =>
  here(Number(URL.parse(`http://${request.headers["host"] ?? ""}`)?.port || "80"))
