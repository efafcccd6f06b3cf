/** Keeps configured secrets, and what hides or deceives, out of what servers say (Decision 15). */
import type { Http, ServerConfig } from "@boocode/mcp-config"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as CleanText from "./CleanText.ts"
import * as ServerEnvironment from "./ServerEnvironment.ts"

/** Shorter values are words such as `true` or a port, and hiding them would hide the message. */
const SHORTEST_SECRET = 8
const HIDDEN = "<redacted>"

/**
 * Makes a function that hides in a text every configured value of an entry that may be a secret, and `more` values: all
 * of `env` and `headers`; of the url, and of addresses in arguments and `env`, its query, its password or else its user,
 * and what looks like a key in its path; of the arguments what looks like a key or follows a name such as `--token`; of
 * all of them what variables brought, but for paths, the host of the url and variables that every server gets. Also as
 * JSON, HTML and addresses have it; over HTTP in upper and in lower case.
 */
export const scrubber = (config: ServerConfig, more: ReadonlyArray<string> = []): (text: string) => string =>
  hiding(config, more, CleanText.clean)

/** The scrubber that leaves hiding characters in, for a text that a person is to judge: `CleanText` writes them out. */
export const revealingScrubber = (config: ServerConfig): (text: string) => string =>
  hiding(config, [], CleanText.withoutControls)

const hiding = (
  config: ServerConfig,
  more: ReadonlyArray<string>,
  cleaned: (text: string) => string
): (text: string) => string => {
  const secrets = longestFirst(
    [...secretsOf(config), ...more]
      // As in the texts, or a key of several lines would not be found again; standard error comes line by line.
      .map(cleaned)
      .flatMap((secret) => secret.includes("\n") ? [secret, ...secret.split("\n")] : [secret])
      .flatMap(formsOf)
  ).map((secret) => config.transport._tag === "stdio" ? secret : inAnyCase(secret))
  return (text) => secrets.reduce<string>((shown, secret) => shown.replaceAll(secret, HIDDEN), cleaned(text))
}

/** Hides one more secret that goes out in a header, which may come and change. */
export const besides =
  (scrub: (text: string) => string, secret: () => string | undefined) => (text: string): string => {
    const now = secret() ?? ""
    return now.length < SHORTEST_SECRET ? scrub(text) : scrub(text).replaceAll(inAnyCase(now), HIDDEN)
  }

/** A header's value may come back in another case. A very long pattern takes too much memory. */
const inAnyCase = (secret: string): string | RegExp =>
  secret.length > LONGEST_PATTERN ? secret : new RegExp(secret.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi")

const LONGEST_PATTERN = 10_000

/** The values that are hidden, as they are configured, the longest first. */
export const secrets = (config: ServerConfig): ReadonlyArray<string> => longestFirst(secretsOf(config))

const longestFirst = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length)

/** How a secret looks in a text that holds it as JSON, as part of an address, or as HTML. */
const formsOf = (secret: string): Array<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll("\\", "\\\\"),
  new URLSearchParams([["", secret]]).toString().slice(1),
  encodeSafely(secret),
  secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")
]

/** Half a character cannot be part of an address. */
const encodeSafely = (text: string): string => Result.getOrElse(Result.try(() => encodeURIComponent(text)), () => "")

const secretsOf = (config: ServerConfig): Array<string> => {
  const { transport } = config
  if (transport._tag === "stdio") {
    const env = Object.values(transport.env).map(Redacted.value)
    const args = secretsOfArgs(transport.args.map(Redacted.value))
    return [...env, ...env.flatMap(secretsOfAddresses), ...args, ...filledIn(config, "")]
  }
  const values = Object.values(transport.headers).map(Redacted.value)
  const url = Redacted.value(transport.url)
  const bearer = values.flatMap((value) => value.split(" ").slice(1))
  return [
    ...values,
    ...bearer,
    ...secretsOfSigningIn(transport),
    ...secretsOfUrl(url),
    ...filledIn(config, URL.parse(url)?.host ?? "")
  ]
}

const secretsOfSigningIn = ({ oauth }: Http): Array<string> =>
  oauth === undefined || oauth === false
    ? []
    : [oauth.clientSecret, oauth.privateKey].flatMap((secret) => secret === null ? [] : [Redacted.value(secret)])

/** A variable is how a secret is kept out of a file, and how a path is. */
const filledIn = (config: ServerConfig, host: string): ReadonlyArray<string> =>
  Object.entries(config.filledIn ?? {})
    .filter(([name]) => !ServerEnvironment.isForAll(name))
    .map(([, value]) => Redacted.value(value))
    .filter((value) => !isPath(value) && !isOf(host, value))

const isOf = (host: string, value: string): boolean =>
  host !== "" && (value.toLowerCase().includes(host) || host.includes(value.toLowerCase()))

const isPath = (value: string): boolean =>
  /^(~?\/|[a-zA-Z]:\\)/.test(value) && !value.split(/[/\\]/).some((segment) => KEY_LIKE.test(segment))

const SECRET_NAME = /key|token|secret|passw|pwd|auth|credential|header/i
/** Letters and digits mixed and nothing that a path, a package or a word would have. */
const KEY_LIKE = /^(?=.*\d)(?=.*[a-zA-Z])[a-zA-Z0-9_+=-]{16,}$/
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi

const secretsOfArgs = (args: ReadonlyArray<string>): Array<string> =>
  args.flatMap((arg, index) => {
    const before = args[index - 1] ?? ""
    const [, own, value = arg] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? []
    const name = own ?? (/^--?[^=]+$/.test(before) ? before : "")
    const isSecret = SECRET_NAME.test(name) || KEY_LIKE.test(value)
    return [...(isSecret ? withParts(value) : []), ...secretsOfAddresses(value)]
  })

const secretsOfAddresses = (text: string): Array<string> => (text.match(ADDRESS) ?? []).flatMap(secretsOfUrl)

/** A header's value also without its name, and without the scheme before a token. */
const withParts = (value: string): Array<string> => {
  const [, text = value] = /^[\w-]+:\s*(.+)$/s.exec(value) ?? []
  return [value, text, ...text.split(" ").slice(1)]
}

const secretsOfUrl = (text: string): Array<string> => {
  const url = URL.parse(text)
  if (url === null) return []
  const query = url.search.slice(1)
  const values = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1))
  const keys = url.pathname.split("/").filter((segment) => KEY_LIKE.test(segment))
  // Beside a password the user is a name, such as postgres.
  const login = url.password === "" ? url.username : url.password
  return [query, ...values, ...keys, login].flatMap((secret) => [secret, decodeSafely(secret)])
}

const decodeSafely = (text: string): string => new URLSearchParams(`x=${text}`).get("x") ?? text
