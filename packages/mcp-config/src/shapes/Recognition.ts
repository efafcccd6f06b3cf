/** Recognizes the application of a file by keys that only its shape has. */
import { NATIVE_KEYS } from "../entry/NativeKeys.ts"
import { byKey, type JsonNode, type Member, type ObjectNode } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import type { ShapeName } from "./Shape.ts"

/** The shape of a file, which may hold the bare map of servers; native when nothing tells. */
export const shapeOf = (root: JsonNode, isBare = false): ShapeName => {
  const servers = Nodes.objectAt(root, ["mcpServers"]) ?? (isBare && root.type === "object" ? root : null)
  if (servers !== null) return ofFamily(root, servers)
  return STRUCTURES.find(({ fits }) => fits(root))?.shape ?? "native"
}

interface Structure {
  readonly shape: ShapeName
  readonly fits: (root: JsonNode) => boolean
}

/** Shapes whose servers stand elsewhere than under `mcpServers`. */
const STRUCTURES: ReadonlyArray<Structure> = [
  { shape: "claude", fits: (root) => some(Nodes.objectAt(root, ["projects"]), (one) => isObject(one, "mcpServers")) },
  { shape: "codex", fits: (root) => Nodes.objectAt(root, ["mcp_servers"]) !== null },
  { shape: "goose", fits: (root) => some(Nodes.objectAt(root, ["extensions"]), isGoose) },
  { shape: "opencode", fits: (root) => isOpencode(root) },
  { shape: "zed", fits: (root) => Nodes.objectAt(root, ["context_servers"]) !== null },
  { shape: "vscode", fits: (root) => VSCODE.some((path) => some(Nodes.objectAt(root, path), isAddressed)) }
]

const VSCODE = [["servers"], ["mcp", "servers"], ["customizations", "vscode", "mcp", "servers"]]

const some = (map: ObjectNode | null, test: (entry: JsonNode) => boolean): boolean =>
  map?.members.some(({ value }) => value.type === "object" && test(value)) ?? false

const isObject = (node: JsonNode, key: string): boolean => Nodes.memberOf(node, key)?.value.type === "object"

const textAt = (node: JsonNode, key: string): string | null => {
  const value = Nodes.memberOf(node, key)?.value
  return value?.type === "string" ? value.value : null
}

const isAddressed = (entry: JsonNode): boolean =>
  ["command", "url", "type"].some((key) => Nodes.memberOf(entry, key) !== undefined)

const GOOSE_TYPES = new Set(["stdio", "streamable_http", "sse", "builtin", "platform", "frontend", "inline_python"])

const isGoose = (entry: JsonNode): boolean =>
  ["cmd", "uri", "envs"].some((key) => Nodes.memberOf(entry, key) !== undefined) ||
  GOOSE_TYPES.has(textAt(entry, "type") ?? "")

const isOpencode = (root: JsonNode): boolean => {
  if (textAt(root, "$schema")?.startsWith("https://opencode.ai/") === true) return true
  const maps = [Nodes.objectAt(root, ["mcp", "servers"]), Nodes.objectAt(root, ["mcp"])]
  return maps.some((map) => some(map, isOpencodeEntry))
}

const isOpencodeEntry = (entry: JsonNode): boolean => {
  const type = textAt(entry, "type")
  const command = Nodes.memberOf(entry, "command")?.value
  const isSwitch = entry.type === "object" && entry.members.length === 1 && entry.members[0]?.key === "enabled"
  return type === "local" || type === "remote" || command?.type === "array" || isSwitch
}

/** Keys of an entry under `mcpServers` that one application alone has. */
const OWN_KEYS: ReadonlyArray<readonly [ShapeName, ReadonlyArray<string>]> = [
  ["gemini", ["httpUrl", "includeTools", "excludeTools", "targetAudience", "targetServiceAccount", "authProviderType"]],
  ["windsurf", ["serverUrl"]],
  ["roo", ["alwaysAllow", "watchPaths"]],
  ["1mcp", ["connectionTimeout", "requestTimeout", "restartOnExit", "inheritParentEnv", "envFilter", "maxRestarts"]],
  ["1mcp", ["restartDelay", "toolDescriptionOverrides", "instructionOverride"]],
  ["kode", ["apiKey", "ideName"]],
  ["cline", ["transportType", "remoteConfigured"]]
]

const ofFamily = (root: JsonNode, servers: ObjectNode): ShapeName => {
  if (STRUCTURES[0]?.fits(root) === true) return "claude"
  const entries = servers.members.flatMap(({ value }) => value.type === "object" ? [value] : [])
  const shapes = new Set(entries.flatMap((entry) => entry.members.flatMap(traitOf)))
  if (["allowed", "excluded", "serverCommand"].some((key) => Nodes.memberOf(rules(root), key) !== undefined)) {
    shapes.add("gemini")
  }
  const [only, ...others] = shapes
  return only === undefined || others.length > 0 || entries.some((entry) => speaksAgainst(entry, only))
    ? "native"
    : only
}

const rules = (root: JsonNode): JsonNode | undefined => Nodes.memberOf(root, "mcp")?.value

const traitOf = ({ key, value }: Member): ReadonlyArray<ShapeName> => {
  // Cline's command line nests what Cline itself writes flat; Cursor's credentials are in capitals.
  if (key === "transport" && value.type === "object") return ["cline"]
  if (key === "auth" && isObjectWith(value, "CLIENT_ID")) return ["cursor"]
  return OWN_KEYS.flatMap(([shape, keys]) => keys.includes(key) ? [shape] : [])
}

const isObjectWith = (node: JsonNode, key: string): boolean => Nodes.memberOf(node, key) !== undefined

/** Keys that several applications have. */
const COMMON = new Set([
  ...["type", "command", "args", "env", "cwd", "url", "headers", "enabled", "disabled", "timeout"],
  ...["envFile", "headersHelper", "oauth"]
])

const NATIVE_ALONE: ReadonlySet<string> = new Set(NATIVE_KEYS.filter((key) => !COMMON.has(key)))

/**
 * Keys that only a native entry has, a `${NAME}` that would be plain text, or a time that would be days: such a file is
 * native, and another application's key in it a mistake.
 */
const speaksAgainst = (entry: ObjectNode, shape: ShapeName): boolean => {
  if (entry.members.some(({ key }) => NATIVE_ALONE.has(key))) return true
  if (EDITORS.has(shape) && hasNativeVariable(entry)) return true
  const timeout = byKey(entry.members).get("timeout")?.value
  return IN_SECONDS.has(shape) && timeout?.type === "number" && timeout.value > MOST_SECONDS
}

const EDITORS: ReadonlySet<ShapeName> = new Set(["windsurf", "roo", "cline", "cursor"])
const IN_SECONDS: ReadonlySet<ShapeName> = new Set(["roo", "cline"])
const MOST_SECONDS = 3600

const hasNativeVariable = (node: JsonNode): boolean => {
  if (node.type === "string") return /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-|\})/.test(node.value) && !PLACES.test(node.value)
  const inside = node.type === "array"
    ? node.items
    : node.type === "object"
    ? node.members.map(({ value }) => value)
    : []
  return inside.some(hasNativeVariable)
}

const PLACES = /\$\{(?:workspaceFolder|workspaceFolderBasename|workspaceRoot|userHome|pathSeparator)\}/
