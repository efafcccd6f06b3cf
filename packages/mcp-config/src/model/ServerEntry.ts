/**
 * One server as a file declares it: in canonical words, but before variables, paths and defaults of the place it
 * stands in. Every shape decodes to this, and everything after it is the same for all shapes.
 */
import type * as Result from "effect/Result"
import type { Trouble, Written } from "../text/Field.ts"
import type { Place } from "../text/JsonNode.ts"
import type { Audience } from "./Audience.ts"
import type { Http, OAuth, ServerConfig, Stdio } from "./ServerConfig.ts"

/** A program to start, as declared. */
export interface StdioEntry {
  readonly _tag: Stdio["_tag"]
  readonly command: Written
  readonly args: ReadonlyArray<Written>
  readonly env: ReadonlyArray<readonly [string, Written]>
  readonly cwd: Written | null
  readonly envFile: Written | null
  readonly inheritEnv: ReadonlyArray<string>
}

/** An address to talk to, as declared. */
export interface HttpEntry {
  readonly _tag: Http["_tag"]
  readonly url: Written
  /** Whether the entry leaves its type open. */
  readonly mayBeSse?: boolean
  readonly publicOnly?: boolean
  readonly headers: ReadonlyArray<readonly [string, Written]>
  readonly headersHelper: Written | null
  readonly oauth?: OAuthEntry | false
}

/** How to sign in, as declared. */
export interface OAuthEntry {
  /** The texts that the entry has, in the order of `EntryKeys.OAUTH_TEXTS`. */
  readonly texts: ReadonlyArray<readonly [OAuthText, Written]>
  readonly scopes: ReadonlyArray<Written> | null
  readonly callbackPort: number | null
  readonly grant: OAuth["grant"]
  readonly login?: "user"
}

/** A key of `oauth` whose value is a text. */
export type OAuthText = Exclude<keyof OAuth, "scopes" | "callbackPort" | "grant" | "login">

/** The settings that need no place: already canonical. `pin` is null where the scope decides, and `roots` is as written. */
export type EntryOptions =
  & Omit<ServerConfig, "name" | "transport" | "filledIn" | "pin" | "roots">
  & {
    readonly pin: ServerConfig["pin"] | null
    readonly roots: boolean | ReadonlyArray<Written> | null
    /** The people who see the server. No part of how it runs. */
    readonly for: Audience
  }

/** A usable declaration. */
export interface Declaration {
  readonly transport: StdioEntry | HttpEntry
  readonly options: EntryOptions
}

/** Something worth saying about an entry that does not stop it. */
export type Remark = Pick<Trouble, "at" | "key" | "detail">

/** One entry of a file. */
export interface ServerEntry {
  readonly name: string
  readonly at: Place
  /** The path of the entry, for instance `mcpServers.files`. */
  readonly key: string
  readonly transport: ServerConfig["transport"]["_tag"] | null
  readonly enabled: boolean
  /**
   * The people who see the server, also of an entry that cannot be used: nobody where the key itself is wrong. Absent
   * for everyone.
   */
  readonly audience?: ReadonlyArray<string>
  /** A failure holds at least one trouble, in the order they were found. */
  readonly declaration: Result.Result<Declaration, readonly [Trouble, ...ReadonlyArray<Trouble>]>
  readonly remarks: ReadonlyArray<Remark>
  /** Remarks that hold where the entry stands in a project file: the keys that such a file may not have. */
  readonly projectRemarks: ReadonlyArray<Remark>
}

/** The entries of a file, and remarks about it. Names are unique. */
export interface ShapeContent {
  readonly entries: ReadonlyArray<ServerEntry>
  /** Remarks that belong to no single entry. */
  readonly remarks: ReadonlyArray<Remark>
}
