/**
 * What the many files that begin with `mcpServers` have in common.
 */
import * as Result from "effect/Result"
import type { Fault, JsonNode } from "../JsonNode.ts"
import type { Dialect } from "./Dialect.ts"
import type { ObjectNode } from "./EntryReader.ts"
import * as Nodes from "./Nodes.ts"
import type { Found } from "./Shape.ts"
import { each, nothing, type Translation } from "./Translation.ts"

/** How the entries of one application are read. */
export interface Reading {
  readonly dialect: Dialect
  readonly translate: (entry: Translation) => void
  /** Where the entries stand. Default `mcpServers`. */
  readonly path?: ReadonlyArray<string>
}

/** Finds and translates the map of servers. A file without one has no servers, which is noted. */
export const decode = (root: JsonNode, reading: Reading): Result.Result<Found, Fault> => {
  const path = reading.path ?? SERVERS
  const name = path.join(".")
  if (root.type !== "object") return Result.fail({ ...root.at, detail: `expected an object with "${name}"` })
  const servers = path.reduce<JsonNode | undefined>((node, key) => Nodes.memberOf(node, key)?.value, root)
  if (servers === undefined) return Result.succeed(nothing(root.at, name, "not in this file, so there are no servers"))
  if (servers.type !== "object") {
    return Result.fail({ ...servers.at, detail: `"${name}" must be an object of servers by name` })
  }
  return Result.succeed(each(servers, name, reading.dialect, reading.translate))
}

/** Translates a map of servers that stands somewhere. */
export const decodeMap = (servers: ObjectNode, path: string, reading: Reading): Found =>
  each(servers, path, reading.dialect, reading.translate)

const SERVERS = ["mcpServers"]
