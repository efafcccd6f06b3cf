/** A shape: how one application writes its configuration. */
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Declaration, ServerEntry } from "../model/ServerEntry.ts"
import type { Format } from "../text/ConfigText.ts"
import type { Fault, JsonNode, Member, Place } from "../text/JsonNode.ts"
import type { Surroundings } from "./VariableSyntax.ts"

/** The names of the shapes, as `--shape` takes them. */
export const NAMES = [
  "native",
  "opencode",
  "claude",
  "cursor",
  "vscode",
  "gemini",
  "codex",
  "kode",
  "cline",
  "roo",
  "1mcp",
  "goose",
  "windsurf",
  "zed"
] as const

/** A shape's name. */
export type ShapeName = (typeof NAMES)[number]

/** Something a file says that has no place here, or means something else here. */
export interface Note {
  /** The server it belongs to; null for the file itself. */
  readonly server: string | null
  readonly at: Place
  /** The path of the key as the file has it. */
  readonly key: string
  readonly detail: string
  /** True when the server behaves differently for it; false for labels and the like. */
  readonly matters: boolean
}

/** The servers of a file. */
export interface Found {
  /** Entries in the native shape; places and paths are those of the file. */
  readonly servers: ReadonlyArray<Member>
  readonly notes: ReadonlyArray<Note>
  /** Names of what looks like a server and is none that could be had here; a note says why. */
  readonly skipped: ReadonlyArray<string>
}

/** Where a file stands, as far as its meaning depends on that. */
export interface Context extends Surroundings {
  /** True for a file that may hold the bare map of servers, a `.mcprc`. */
  readonly isBare: boolean
  /** The folder a person stands in and those above it, the nearest first. Claude Code keeps servers by folder. */
  readonly standing: ReadonlyArray<string>
}

/** A usable entry to be written. */
export interface Writable extends Omit<ServerEntry, "declaration"> {
  readonly declaration: Declaration
}

/** Something an entry says that another application's file does not, or says otherwise. */
export interface Loss {
  /** The native keys, for instance `restart` or `env.TOKEN`; none when it is about the whole entry. */
  readonly keys: ReadonlyArray<string>
  readonly detail: string
}

/** One server as another application writes it. */
export interface Encoded {
  readonly name: string
  /** Null when the application has no way to have this server. */
  readonly value: Schema.JsonObject | null
  readonly losses: ReadonlyArray<Loss>
}

/** One application's files. All of it is pure. */
export interface Shape {
  readonly name: ShapeName
  /** The application, as a person calls it. */
  readonly title: string
  readonly format: Format
  /** Fails only when the top level is not what the shape asks for. */
  readonly decode: (root: JsonNode, context: Context) => Result.Result<Found, Fault>
  /** The keys that lead to the map of servers in a file that is written. */
  readonly path: readonly [string, ...ReadonlyArray<string>]
  readonly encode: (entry: Writable) => Encoded
}
