/** The routes about MCP servers that this panel uses. */
import { get, path, post, put, query, remove } from "../api/Client.ts"
import type { ConfigProblem, Json, JsonObject, Prompt, Resource, ServerStatus } from "../api/Types.ts"

export type Verb = "start" | "stop" | "restart" | "refresh" | "enable" | "disable"

export interface Change {
  readonly before: string | null
  readonly after: string | null
}

export interface ToolDifference {
  readonly pinnedAt: string
  readonly versionBefore: string | null
  readonly versionAfter: string | null
  readonly changed: ReadonlyArray<
    { readonly tool: string; readonly parts: ReadonlyArray<Change & { readonly path: string }> }
  >
  readonly added: ReadonlyArray<{ readonly tool: string; readonly description: string | null }>
  readonly removed: ReadonlyArray<string>
}

export interface TrustDetails {
  readonly server: string
  readonly file: string
  readonly decision: "not-needed" | "pending" | "approved" | "rejected"
  readonly by: "always" | "once" | "publisher" | null
  readonly entry: ReadonlyArray<{ readonly key: string; readonly value: string }>
  readonly changes: ReadonlyArray<Change & { readonly key: string }> | null
  readonly problem: string | null
  readonly tools: ToolDifference | null
  /** Stands for all of this: a decision is sent with it, and fails when something changed since. */
  readonly seen: string
}

export interface LogLine {
  readonly seq: number
  readonly time: string
  readonly kind: "event" | "stderr" | "message"
  /** Of a message: `debug` to `emergency`. */
  readonly level: string | null
  readonly logger: string | null
  readonly text: string
}

/** A login that was begun. */
export interface Login {
  readonly id: string
  readonly server: string
  readonly state: "waiting" | "done" | "failed" | "cancelled"
  /** Where to go while it waits; null when nobody is needed. */
  readonly url: string | null
  /** The browser comes back to this server by itself; else the address it ends at is pasted. */
  readonly returns: boolean
  readonly message: string | null
  readonly hint: string | null
  readonly expiresAt: string
}

export interface ResourceTemplate extends Omit<Resource, "uri" | "size"> {
  readonly uriTemplate: string
}

/** Servers whose lists are not among what there is. */
interface Missing {
  readonly failed?: ReadonlyArray<{ readonly server: string; readonly message: string; readonly hint: string }>
}

export interface Prompts extends Missing {
  readonly prompts: ReadonlyArray<Prompt>
}

export interface Resources extends Missing {
  readonly resources: ReadonlyArray<Resource>
  readonly templates?: ReadonlyArray<ResourceTemplate>
}

export interface ResourceContent {
  readonly uri: string
  readonly mimeType: string | null
  readonly text: string | null
  readonly blob: string | null
}

const server = (name: string, ...rest: ReadonlyArray<string>) => path("mcp", "servers", name, ...rest)

export const act = (name: string, verb: Verb) => post<ServerStatus>(server(name, verb))
export const getTrust = (name: string, signal: AbortSignal) => get<TrustDetails>(server(name, "trust"), signal)
export const decide = (name: string, verb: "approve" | "reject" | "revoke", body?: Json) =>
  post<ServerStatus>(server(name, verb), body)
export const getLog = (name: string, after: number, signal: AbortSignal) =>
  get<{ lines: ReadonlyArray<LogLine> }>(query(server(name, "logs"), { after }), signal)
export const getPrompts = (signal: AbortSignal) => get<Prompts>("prompts", signal)
export const getResources = (signal: AbortSignal) => get<Resources>("resources", signal)
export const readResource = (name: string, uri: string) =>
  post<{ contents: ReadonlyArray<ResourceContent> }>(server(name, "resources", "read"), { uri })
export const addServer = (name: string, entry: JsonObject) => post<ServerStatus>("mcp/servers", { name, entry })
export const removeServer = (name: string) => remove(server(name))
export const reload = () =>
  post<{
    added: ReadonlyArray<string>
    removed: ReadonlyArray<string>
    changed: ReadonlyArray<string>
    problems: ReadonlyArray<ConfigProblem>
  }>("mcp/reload")
export const setLogLevel = (name: string, level: string | null) =>
  put<ServerStatus>(server(name, "log-level"), { level })
export const watchAddress = (name: string, uri: string) => query(server(name, "resources", "watch"), { uri })
export const login = (name: string) => post<Login>(server(name, "login"), {})
export const getLogin = (id: string) => get<Login>(path("mcp", "logins", id))
export const pasteLogin = (id: string, callbackUrl: string) => post<Login>(path("mcp", "logins", id), { callbackUrl })
export const cancelLogin = (id: string) => remove(path("mcp", "logins", id))
export const logout = (name: string) => post<ServerStatus>(server(name, "logout"))
