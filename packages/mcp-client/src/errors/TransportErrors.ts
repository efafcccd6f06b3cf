/**
 * What goes wrong on the way to a server with an address.
 */
import * as Data from "effect/Data"
import { detailOf, type Details, lasted, saidOf, tail } from "./ErrorWords.ts"

/** The server asks for authorization, and there is none, or not enough of it. @category reasons */
export class AuthRequired extends Data.TaggedError("AuthRequired")<{
  readonly code: number
  /** The server's words; absent when it had none. */
  readonly detail?: string
  /** The name under which a person can sign in; absent where OAuth is switched off. */
  readonly login?: string
  /** What the server wants to be allowed; absent where it did not say. */
  readonly scopes?: ReadonlyArray<string>
  /** True where a person is signed in, and what was granted is too little for this. */
  readonly isStepUp?: boolean
}> implements Details {
  override get message() {
    const scopes = this.scopes ?? []
    const more = scopes.length > MOST_SCOPES ? ` and ${scopes.length - MOST_SCOPES} more` : ""
    const wanted = scopes.length === 0 ? "" : `; it wants ${scopes.slice(0, MOST_SCOPES).join(" ")}${more}`
    const what = this.isStepUp === true ? "more rights than were granted" : "authorization"
    return `the server asks for ${what} (HTTP ${this.code})${detailOf(this.detail)}${wanted}`
  }
  get hint() {
    if (this.login !== undefined) return `sign in with: boocode mcp login ${argument(this.login)}`
    return `add the header that it wants to "headers" of the entry, for instance "Authorization": "Bearer \${TOKEN}"`
  }
}

/** A sentence is no list. */
const MOST_SCOPES = 10

/** Names may hold anything; those of a plain kind need no quotes in a shell. */
const argument = (name: string): string =>
  /^[\w.@-]+$/.test(name) && !name.startsWith("-") ? name : JSON.stringify(name)

/** Signing in to the server did not work. @category reasons */
export class AuthorizationFailed extends Data.TaggedError("AuthorizationFailed")<{
  readonly detail: string
  /** Better advice than the usual one. */
  readonly try?: string
  /** The error code of the authorization server, for instance `access_denied`. */
  readonly error?: string
  /** True where the same may work later without a person: the authorization server was not to be reached. */
  readonly isTransient?: boolean
}> implements Details {
  override get message() {
    return `authorization failed: ${this.detail}`
  }
  get hint() {
    if (this.try !== undefined) return this.try
    return this.isTransient === true
      ? "check that the authorization server can be reached"
      : "try to sign in again, or ask whoever runs the server"
  }
}

/** The configured credentials were refused. @category reasons */
export class AuthRejected extends Data.TaggedError("AuthRejected")<{
  readonly code: number
  /** The server's words; absent when it had none. */
  readonly detail?: string
}> implements Details {
  override get message() {
    return `the server refused the configured credentials (HTTP ${this.code})${detailOf(this.detail)}`
  }
  get hint() {
    return this.code === 403
      ? "the credentials may be good but not for this: check what they allow"
      : "check the value of the header that carries them"
  }
}

/** The command of `headersHelper` gave no headers. @category reasons */
export class HeadersHelperFailed extends Data.TaggedError("HeadersHelperFailed")<{
  readonly detail: string
  /** Null when it did not end by itself. */
  readonly exitCode: number | null
  readonly stderr: string
}> implements Details {
  override get message() {
    return `the command of "headersHelper" ${this.detail}${tail(this.stderr)}`
  }
  get hint() {
    return "run it by hand in the folder of its file: it has 10 s to print a JSON object of header names and values"
  }
}

/** An HTTP status that is not part of the protocol. @category reasons */
export class HttpStatus extends Data.TaggedError("HttpStatus")<{
  readonly method: string
  readonly code: number
  readonly detail: string
  /** Better advice than the usual one. */
  readonly try?: string
}> implements Details {
  override get message() {
    return `HTTP ${this.code} to ${this.method}${detailOf(this.detail)}`
  }
  get hint() {
    if (this.try !== undefined) return this.try
    if (this.code >= 300 && this.code < 400) return `if that is the server you mean, write its address as "url"`
    if (this.code === 404) return "check the path of the url"
    if (this.code === 405) return `check the path of the url; a server of revision 2024-11-05 needs "type": "sse"`
    if (this.code === 429) return "wait, or ask whoever runs the server for a higher limit"
    return this.code < 500
      ? "the server refuses the request as it is; its words say why"
      : "try again later, or ask whoever runs the server"
  }
}

/** The connection is gone, or never came about. @category reasons */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{
  readonly detail: string
  /** True when the request surely reached nobody. */
  readonly unsent?: boolean
  /** What happened, when "the connection was lost" is not it. */
  readonly happened?: string
  /** Better advice than the usual one. */
  readonly try?: string
}> implements Details {
  override get message() {
    return `${this.happened ?? "the connection was lost"}: ${this.detail}`
  }
  get hint() {
    return this.try ?? "restart the server, or check the network between here and there"
  }
}

// What goes wrong with the process of a server.

/** The operating system refused to start the command. @category reasons */
export class SpawnFailed extends Data.TaggedError("SpawnFailed")<{
  readonly command: string
  readonly detail: string
  /** Better advice than the usual one. */
  readonly try?: string
  readonly cause?: unknown
}> implements Details {
  override get message() {
    return `could not start ${this.command}: ${this.detail}`
  }
  get hint() {
    return this.try ?? `check that ${this.command} may be executed and that "cwd" is a folder`
  }
}

/** The process ended although it was needed. @category reasons */
export class Exited extends Data.TaggedError("Exited")<{
  /** The method that was waited for, or `its work`. */
  readonly during: string
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stderr: string
  /** From the start to the end; absent where it is not known. */
  readonly afterMillis?: number
  /** What it wrote to standard output that is no message; absent where it is not known. */
  readonly said?: ReadonlyArray<string>
}> implements Details {
  override get message() {
    const after = this.afterMillis === undefined ? "" : ` after ${lasted(this.afterMillis)}`
    return `the server ${endOf(this)}${after}${whenOf(this.during)}${wordsOf(this)}`
  }
  get hint() {
    return hintOfEnd(this)
  }
}

/** The process keeps dying. @category reasons */
export class CrashLoop extends Data.TaggedError("CrashLoop")<{
  readonly restarts: number
  readonly exitCode: number | null
  readonly stderr: string
  /** The signal that ended it the last time. */
  readonly signal?: string | null
  /** What it wrote to standard output that is no message; absent where it is not known. */
  readonly said?: ReadonlyArray<string>
  /** The method that was waited for the last time, or `its work`. */
  readonly during?: string
}> implements Details {
  override get message() {
    const when = this.during === undefined ? "" : whenOf(this.during)
    const last = `the last time it ${endOf(this.end)}${when}`
    return `the server died ${this.restarts} times in a row; ${last}${wordsOf(this)}`
  }
  get hint() {
    return `it is tried again once a minute; ${hintOfEnd(this.end)}`
  }
  private get end() {
    return { exitCode: this.exitCode, signal: this.signal ?? null, stderr: this.stderr }
  }
}

const endOf = ({ exitCode, signal }: { readonly exitCode: number | null; readonly signal: string | null }): string =>
  exitCode === null ? `was ended by ${signal ?? "a signal"}` : `exited with code ${exitCode}`

const whenOf = (during: string): string => during === AT_WORK ? ", while it was ready" : `, during ${during}`

/** What a server does once it is ready; a failure during anything else is one of its start. @category constants */
export const AT_WORK = "its work"

/** What it wrote to standard error says more, and both together would be too much for one line. */
const wordsOf = ({ said = [], stderr }: { readonly said?: ReadonlyArray<string>; readonly stderr: string }): string =>
  stderr === "" ? saidOf(said) || "; it wrote nothing to standard error" : tail(stderr)

const hintOfEnd = ({ exitCode, signal, stderr }: Pick<Exited, "exitCode" | "signal" | "stderr">): string => {
  if (stderr !== "") return "its last lines on standard error say why; correct that and start it again"
  if (signal === "SIGKILL") return "the system or somebody killed it; often there was too little memory"
  if (exitCode === 127) return `127 is how a shell says that there is no such command: check what "args" names`
  if (exitCode === 126) return `126 is how a shell says that a command may not be executed: check what "args" names`
  if (exitCode === 0) return `it ended as if its work was done: perhaps it needs an argument such as "--stdio" to serve`
  return "run the command by hand to see why it ends"
}
