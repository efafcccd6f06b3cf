/** The routes of MCP clients that this panel alone uses. */
import { path, post, remove } from "../api/Client.ts"
import type { AddedClient } from "../api/Types.ts"

export const addClient = (name: string, profile: string) => post<AddedClient>("clients", { name, profile })
export const removeClient = (name: string) => remove(path("clients", name))
export const endClient = (id: string) => post<{ ended: number }>(path("clients", id, "end"))
