/** The applications that BooCode can be connected to, and the one file of each that holds its entry. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Applications from "../exchange/Applications.ts"
import { Environment } from "../model/Environment.ts"

/** An application that can use BooCode as an MCP server. */
export interface Client extends Pick<Applications.Application, "id" | "title" | "shape"> {
  /** Where its file is, as `Applications` writes places; the first that is there, else the one for a new file. */
  readonly places: ReadonlyArray<string>
  /** Where it has a new file; its last place where it does not say. */
  readonly fresh?: string
  /** Where it has a new file on Windows, if elsewhere. */
  readonly windows?: string
  /** A folder that only this application makes, where that of its file is not its own. */
  readonly trace?: string
  /** The key of its entries that switches one off; null where only taking the entry out does. */
  readonly off: "enabled" | "disabled" | null
}

interface Traits extends Pick<Client, "off" | "fresh" | "windows" | "trace"> {
  /** Places of the application that hold no entry of ours. */
  readonly without?: ReadonlyArray<string>
}

const TRAITS: Readonly<Record<string, Traits>> = {
  "claude-code": { off: null, trace: "~/.claude" },
  "claude-desktop": { off: null },
  cursor: { off: null },
  vscode: { off: null, fresh: "support/Code/User/mcp.json", without: ["editors/settings.json"] },
  codex: { off: "enabled" },
  gemini: { off: null },
  windsurf: { off: "disabled" },
  opencode: { off: "enabled", fresh: "config/opencode/opencode.json" },
  zed: { off: "enabled", fresh: "config/zed/settings.json", windows: "support/Zed/settings.json" },
  goose: { off: "enabled", fresh: "config/goose/config.yaml", windows: "support/Block/goose/config/config.yaml" }
}

/** The applications, in the order in which they are listed. */
export const all: ReadonlyArray<Client> = Object.entries(TRAITS).flatMap(([id, { without = [], ...traits }]) =>
  Applications.knownApplications.filter((one) => one.id === id).map(({ own, shape, title }) => ({
    ...{ id, title, shape },
    places: own.filter((place) => !without.includes(place)),
    ...traits
  }))
)

/** The application of a name. */
export const named = (id: string): Client | undefined => all.find((client) => client.id === id)

/** Where an application keeps its entry. */
export interface Located {
  /** Absolute. */
  readonly file: string
  readonly isThere: boolean
  /** Whether the application seems to be on this machine. */
  readonly isFound: boolean
}

/** Finds the file of an application, whether it is there or not; null where no variable tells a home folder. */
export const locate = Effect.fn("Clients.locate")(function*(client: Client) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const folders = Applications.ownFolders(path, variables)
  const files = (place: string) => Applications.filesAt(place, folders, path)
  // Where a variable moves the application's folder, it looks nowhere else.
  const moved = client.places.filter((place) => place.startsWith("$")).flatMap(files).slice(0, 1)
  const candidates = moved.length > 0 ? moved : client.places.flatMap(files)
  const existing = yield* firstThere(candidates)
  const file = existing ?? moved[0] ?? (yield* freshFile(client, files))
  if (file === undefined) return null
  const trace = client.trace === undefined ? [path.dirname(file)] : files(client.trace)
  const isFound = existing !== null || (yield* firstThere(trace)) !== null
  return { file, isThere: existing !== null, isFound } satisfies Located
})

/** The place of a new file: in a folder of the application that is there, else where the system keeps such files. */
const freshFile = Effect.fnUntraced(function*(client: Client, files: (place: string) => ReadonlyArray<string>) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const isWindows = path.isAbsolute(variables["APPDATA"] ?? "")
  const place = (isWindows ? client.windows : undefined) ?? client.fresh ?? client.places.at(-1) ?? ""
  const fresh = files(place)
  const known = [...fresh, ...client.places.flatMap(files)]
  const folder = yield* firstThere(known.map((file) => path.dirname(file)))
  const near = known.find((file) => path.dirname(file) === folder)
  if (near !== undefined) return near
  const bases = files(place.split("/")[0] ?? "")
  const base = yield* firstThere(bases)
  return base === null ? fresh.at(isWindows ? 0 : -1) : fresh[bases.indexOf(base)]
})

/** The first of these that is there, also as a link that leads nowhere. */
const firstThere = Effect.fnUntraced(function*(files: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  for (const file of files) {
    const isThere = yield* Effect.orElseSucceed(fs.exists(file), () => false)
    if (isThere || Result.isSuccess(yield* Effect.result(fs.readLink(file)))) return file
  }
  return null
})
