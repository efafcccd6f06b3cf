/** The failures on the way to a server: over HTTP, and with its process. */
import { AT_WORK, detailOf, lasted, saidOf, tail } from "./ErrorWords.ts"
import { reason } from "./Reason.ts"

/** The server asks for authorization, and there is none, or not enough of it. */
export class AuthRequired extends reason<{
  readonly code: number
  /** The server's words; absent when it had none. */
  readonly detail?: string
  /** The name under which a person can sign in; absent where OAuth is switched off. */
  readonly login?: string
  /** The scopes that the server wants; absent where it did not say. */
  readonly scopes?: ReadonlyArray<string>
  /** True where a person is signed in, and what was granted is too little for this. */
  readonly isStepUp?: boolean
}>()("AuthRequired", {
  message: ({ code, detail, isStepUp, scopes = [] }) => {
    const more = scopes.length > MOST_SCOPES ? ` and ${scopes.length - MOST_SCOPES} more` : ""
    const wanted = scopes.length === 0 ? "" : `; it wants ${scopes.slice(0, MOST_SCOPES).join(" ")}${more}`
    const what = isStepUp === true ? "more rights than were granted" : "authorization"
    return `the server asks for ${what} (HTTP ${code})${detailOf(detail)}${wanted}`
  },
  hint: ({ login }) =>
    login === undefined
      ? `add the header that it wants to "headers" of the entry, for instance "Authorization": "Bearer \${TOKEN}"`
      : `sign in with: boocode mcp login ${argument(login)}`
}) {}

/** A sentence is no list. */
const MOST_SCOPES = 10

/** Names may hold anything; those of a plain kind need no quotes in a shell. */
const argument = (name: string): string =>
  /^[\w.@-]+$/.test(name) && !name.startsWith("-") ? name : JSON.stringify(name)

/** Signing in to the server did not work. */
export class AuthorizationFailed extends reason<{
  readonly detail: string
  /** Better advice than the usual one. */
  readonly try?: string
  /** The error code of the authorization server, for instance `access_denied`. */
  readonly error?: string
  /** True where the same may work later without a person: the authorization server was not to be reached. */
  readonly isTransient?: boolean
}>()("AuthorizationFailed", {
  message: ({ detail }) => `authorization failed: ${detail}`,
  hint: (fields) => {
    if (fields.try !== undefined) return fields.try
    return fields.isTransient === true
      ? "check that the authorization server can be reached"
      : "try to sign in again, or ask the server's operator"
  }
}) {}

/** The server refused the configured credentials. */
export class AuthRejected extends reason<{
  readonly code: number
  /** The server's words; absent when it had none. */
  readonly detail?: string
}>()("AuthRejected", {
  message: ({ code, detail }) => `the server refused the configured credentials (HTTP ${code})${detailOf(detail)}`,
  hint: ({ code }) =>
    code === 403
      ? "the credentials may be good but not for this: check what they allow"
      : "check the value of the header that carries them"
}) {}

/** The command of `headersHelper` gave no headers. */
export class HeadersHelperFailed extends reason<{
  readonly detail: string
  /** Null when it did not end by itself. */
  readonly exitCode: number | null
  readonly stderr: string
}>()("HeadersHelperFailed", {
  message: ({ detail, stderr }) => `the command of "headersHelper" ${detail}${tail(stderr)}`,
  hint: "run it by hand in the folder of its file: it has 10 s to print a JSON object of header names and values"
}) {}

/** An HTTP status that is not part of the protocol. */
export class HttpStatus extends reason<{
  readonly method: string
  readonly code: number
  readonly detail: string
  /** Better advice than the usual one. */
  readonly try?: string
}>()("HttpStatus", {
  message: ({ code, detail, method }) => `HTTP ${code} to ${method}${detailOf(detail)}`,
  hint: (fields) => {
    const { code } = fields
    if (fields.try !== undefined) return fields.try
    if (code >= 300 && code < 400) return `if that is the server you mean, write its address as "url"`
    if (code === 404) return "check the path of the url"
    if (code === 405) return `check the path of the url; a server of revision 2024-11-05 needs "type": "sse"`
    if (code === 429) return "wait, or ask the server's operator for a higher limit"
    return code < 500
      ? "the server refuses the request as it is; its words say why"
      : "try again later, or ask the server's operator"
  }
}) {}

/** The connection is gone, or never came about. */
export class ConnectionLost extends reason<{
  readonly detail: string
  /** True when the request surely reached nobody. */
  readonly unsent?: boolean
  /** True where its server goes on in another place: it is connected to again, whatever `restart` of the entry says. */
  readonly isMoved?: boolean
  /** Words in place of "the connection was lost". */
  readonly happened?: string
  /** Better advice than the usual one. */
  readonly try?: string
}>()("ConnectionLost", {
  message: ({ detail, happened = "the connection was lost" }) => `${happened}: ${detail}`,
  hint: (fields) => fields.try ?? "restart the server, or check the network between here and there"
}) {}

/** The operating system refused to start the command. */
export class SpawnFailed extends reason<{
  readonly command: string
  readonly detail: string
  /** Better advice than the usual one. */
  readonly try?: string
  readonly cause?: unknown
}>()("SpawnFailed", {
  message: ({ command, detail }) => `could not start ${command}: ${detail}`,
  hint: (fields) => fields.try ?? `check that ${fields.command} may be executed and that "cwd" is a folder`
}) {}

/** The process ended although it was needed. */
export class Exited extends reason<{
  /** The method that was waited for, or `AT_WORK`. */
  readonly during: string
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stderr: string
  /** From the start to the end; absent where it is not known. */
  readonly afterMillis?: number
  /** Standard output that is no message; absent where it is not known. */
  readonly said?: ReadonlyArray<string>
}>()("Exited", {
  message: (fields) => {
    const after = fields.afterMillis === undefined ? "" : ` after ${lasted(fields.afterMillis)}`
    return `the server ${endOf(fields)}${after}${whenOf(fields.during)}${wordsOf(fields)}`
  },
  hint: (fields) => hintOfEnd(fields)
}) {}

/** The process keeps dying. */
export class CrashLoop extends reason<{
  readonly restarts: number
  readonly exitCode: number | null
  readonly stderr: string
  /** The signal that ended it the last time. */
  readonly signal?: string | null
  /** Standard output that is no message; absent where it is not known. */
  readonly said?: ReadonlyArray<string>
  /** The method that was waited for the last time, or `AT_WORK`. */
  readonly during?: string
}>()("CrashLoop", {
  message: (fields) => {
    const when = fields.during === undefined ? "" : whenOf(fields.during)
    return `the server died ${fields.restarts} times in a row; the last time it ${endOf(fields)}${when}${
      wordsOf(fields)
    }`
  },
  hint: (fields) => `it is tried again once a minute; ${hintOfEnd(fields)}`
}) {}

interface End {
  readonly exitCode: number | null
  readonly signal?: string | null
}

const endOf = ({ exitCode, signal }: End): string =>
  exitCode === null ? `was ended by ${signal ?? "a signal"}` : `exited with code ${exitCode}`

const whenOf = (during: string): string => during === AT_WORK ? ", while it was ready" : `, during ${during}`

/** Standard error says more, and both together would be too much for one line. */
const wordsOf = ({ said = [], stderr }: { readonly said?: ReadonlyArray<string>; readonly stderr: string }): string =>
  stderr === "" ? saidOf(said) || "; it wrote nothing to standard error" : tail(stderr)

const hintOfEnd = ({ exitCode, signal, stderr }: End & { readonly stderr: string }): string => {
  if (stderr !== "") return "its last lines on standard error say why; correct that and start it again"
  if (signal === "SIGKILL") return "the system or somebody killed it; often there was too little memory"
  if (exitCode === 127) return `127 is how a shell says that there is no such command: check what "args" names`
  if (exitCode === 126) return `126 is how a shell says that a command may not be executed: check what "args" names`
  if (exitCode === 0) return `it ended as if its work was done: perhaps it needs an argument such as "--stdio" to serve`
  return "run the command by hand to see why it ends"
}
