/**
 * What a browser shows that came back from an authorization server. It needs no script, and holds nothing of the address
 * it came by.
 */
import { createHash } from "node:crypto"

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
export const make = (status: number, title: string, ...sentences: ReadonlyArray<string>): CallbackPage => ({
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
export const arrived = make(
  200,
  "BooCode has the answer",
  "Where you began to sign in it says how it went. You can close this window."
)

/** For an address that no login waits for. */
export const unknown = make(
  400,
  "No login waits for this",
  "It was answered already, took longer than 10 minutes, or was never begun here.",
  "Begin another one, and stay in this browser."
)

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
