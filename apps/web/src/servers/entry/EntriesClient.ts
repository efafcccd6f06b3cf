/** The routes about the entries of servers. */
import { get, path, post, put } from "../../api/Client.ts"
import type {
  Connections,
  EntryTrial,
  ImportReport,
  JsonObject,
  Pasted,
  ServerEntry,
  ServerStatus
} from "../../api/Types.ts"

export type GivenEntry = { readonly text: string } | { readonly entry: JsonObject }

/** `seen` is that of the entry which was shown: 409 when it is another one now. */
type EntryChange = GivenEntry & { readonly newName?: string; readonly seen?: string }

export const getEntry = (name: string) => get<ServerEntry>(path("mcp", "servers", name, "entry"))
export const putEntry = (name: string, given: EntryChange) =>
  put<ServerStatus>(path("mcp", "servers", name, "entry"), given)
export const tryEntry = (name: string, given: GivenEntry) => post<EntryTrial>("mcp/try", { name, ...given })
export const readPasted = (text: string) => post<Pasted>("mcp/read", { text })
export const putVariables = (name: string, values: Readonly<Record<string, string>>) =>
  put<ServerStatus>(path("mcp", "servers", name, "variables"), values)
export const listConnections = () => get<Connections>("mcp/connections")
export const listImports = () => get<ImportReport>("mcp/imports")
export const importServers = (
  wanted: { readonly source: string; readonly names: ReadonlyArray<string>; readonly force: boolean }
) => post<ImportReport>("mcp/imports", wanted)
