/** The routes about MCP servers that this panel uses. */
import { get, path, post, put, query, remove } from "../api/Client.ts"
import type {
  Json,
  JsonObject,
  Login,
  LogLine,
  Reloaded,
  ResourceContent,
  ServerStatus,
  TrustDetails
} from "../api/Types.ts"

export type Verb = "start" | "stop" | "restart" | "refresh" | "enable" | "disable"

const server = (name: string, ...rest: ReadonlyArray<string>) => path("mcp", "servers", name, ...rest)

export const act = (name: string, verb: Verb) => post<ServerStatus>(server(name, verb))
export const setWrites = (name: string, writes: "off" | "ask") => post<ServerStatus>(server(name, "writes"), { writes })
export const getTrust = (name: string, signal: AbortSignal) => get<TrustDetails>(server(name, "trust"), signal)
export const decide = (name: string, verb: "approve" | "reject" | "revoke", body?: Json) =>
  post<ServerStatus>(server(name, verb), body)
export const getLog = (name: string, after: number, signal: AbortSignal) =>
  get<{ lines: ReadonlyArray<LogLine> }>(query(server(name, "logs"), { after }), signal)
export const readResource = (name: string, uri: string) =>
  post<{ contents: ReadonlyArray<ResourceContent> }>(server(name, "resources", "read"), { uri })
export const addServer = (name: string, entry: JsonObject) => post<ServerStatus>("mcp/servers", { name, entry })
export const removeServer = (name: string) => remove(server(name))
export const reload = () => post<Reloaded>("mcp/reload")
export const setLogLevel = (name: string, level: string | null) =>
  put<ServerStatus>(server(name, "log-level"), { level })
export const watchAddress = (name: string, uri: string) => query(server(name, "resources", "watch"), { uri })
export const login = (name: string) => post<Login>(server(name, "login"), {})
export const getLogin = (id: string) => get<Login>(path("mcp", "logins", id))
export const pasteLogin = (id: string, callbackUrl: string) => post<Login>(path("mcp", "logins", id), { callbackUrl })
export const cancelLogin = (id: string) => remove(path("mcp", "logins", id))
export const logout = (name: string) => post<ServerStatus>(server(name, "logout"))
