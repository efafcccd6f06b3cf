/**
 * Keeps configured secrets and control characters out of what servers say (Decision 15).
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Redacted from "effect/Redacted"

/** Shorter values are words such as `true` or a port, and hiding them would hide the message. */
const SHORTEST_SECRET = 8
const HIDDEN = "<redacted>"

/**
 * Makes a function that hides in a text every configured value of an entry that may be a secret, and `more` values: all
 * of `env` and `headers`; of the url its query, user, password and what looks like a key in its path; of the arguments
 * what looks like a key or follows a name such as `--token`.
 *
 * @category constructors
 */
export const scrubber = (config: ServerConfig, more: ReadonlyArray<string> = []): (text: string) => string => {
  const secrets = longestFirst(
    [...secretsOf(config), ...more]
      // As in the texts, or a key of several lines would not be found again; standard error comes line by line.
      .map(withoutControls)
      .flatMap((secret) => secret.includes("\n") ? [secret, ...secret.split("\n")] : [secret])
  )
  return (text) => secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, HIDDEN), withoutControls(text))
}

/** The values that are hidden, as they are configured, the longest first. @category getters */
export const secrets = (config: ServerConfig): ReadonlyArray<string> => longestFirst([...new Set(secretsOf(config))])

const longestFirst = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  secrets.filter((secret) => secret.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length)

const secretsOf = ({ transport }: ServerConfig): Array<string> => {
  if (transport._tag === "stdio") {
    return [...Object.values(transport.env).map(Redacted.value), ...secretsOfArgs(transport.args.map(Redacted.value))]
  }
  const values = Object.values(transport.headers).map(Redacted.value)
  const url = Redacted.value(transport.url)
  const bearer = values.flatMap((value) => value.split(" ").slice(1))
  return [...values, ...bearer, ...secretsOfUrl(url)]
}

const SECRET_NAME = /key|token|secret|password|auth|credential/i
/** Letters and digits mixed and nothing that a path, a package or a word would have. */
const KEY_LIKE = /^(?=.*\d)(?=.*[a-zA-Z])[a-zA-Z0-9_+=-]{16,}$/

const secretsOfArgs = (args: ReadonlyArray<string>): Array<string> =>
  args.flatMap((arg, index) => {
    const [, name, value] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? []
    if (name !== undefined && value !== undefined) return SECRET_NAME.test(name) || KEY_LIKE.test(value) ? [value] : []
    const isNamed = /^--?[^=]+$/.test(args[index - 1] ?? "") && SECRET_NAME.test(args[index - 1] ?? "")
    return isNamed || KEY_LIKE.test(arg) ? [arg] : []
  })

const secretsOfUrl = (text: string): Array<string> => {
  const url = URL.parse(text)
  if (url === null) return []
  const query = url.search.slice(1)
  const values = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1))
  const keys = url.pathname.split("/").filter((segment) => KEY_LIKE.test(segment))
  return [query, ...values, ...keys, url.username, url.password].flatMap((secret) => [secret, decodeSafely(secret)])
}

const decodeSafely = (text: string): string => new URLSearchParams(`x=${text}`).get("x") ?? text

// eslint-disable-next-line no-control-regex -- control characters are what this removes
const CONTROLS =
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Removes terminal escapes and control characters other than newline and tab.
 *
 * @category encoding
 */
export const withoutControls = (text: string): string => text.replace(CONTROLS, "")
