/** Editors: VS Code and those made from it, Cursor, Cline, Roo Code and Windsurf; and Zed. */
import * as Result from "effect/Result"
import { type Fault, type JsonNode, type Member, type ObjectNode } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import * as Decoding from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import type { Context, Found } from "./Shape.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const APPLICATION = "Cursor"

/** Credentials for signing in, with names in capitals. */
const translate = (entry: Decoding.Decoding): void => {
  if (entry.peek("auth")?.type === "object") entry.moveTexts("auth", "oauth", Decoding.inNativeOAuth)
}

/** Cursor: `mcpServers` with `${env:NAME}` and the names of places. */
export const shape = shapeOf({
  name: "cursor",
  title: APPLICATION,
  syntax: (context) => VariableSyntax.editor(APPLICATION, context),
  translate,
  encode: (out) => {
    out.asProgram("envFile")
    out.asAddress(null)
  }
})

const CLINE_APPLICATION = "Cline"

const INSIDE = ["type", "command", "args", "cwd", "env", "url", "headers"]

const translateCline = (entry: Decoding.Decoding): void => {
  const nested = entry.take("transport")
  if (nested?.value.type === "object") inside(entry, nested.value.members)
  else if (nested !== undefined) entry.say("type", nested.value, nested)
  const type = entry.take("type") ?? entry.take("transportType")
  entry.take("transportType")
  if (type !== undefined) entry.say("type", typeOf(type.value), type)
  // Without a type an address is SSE there.
  const url = entry.has("url") && !entry.has("command") && nested === undefined ? entry.take("url") : undefined
  if (url !== undefined && type === undefined) entry.say("type", Nodes.text("sse", url.at), url)
  if (url !== undefined) entry.say("url", entry.translated(url.value, `${entry.path}.url`), url)
  entry.move("timeout", "timeout", Nodes.fromSeconds)
}

const inside = (entry: Decoding.Decoding, members: ReadonlyArray<Member>): void => {
  const path = `${entry.path}.transport`
  for (const member of members) {
    const value = member.key === "type" ? typeOf(member.value) : entry.translated(member.value, `${path}.${member.key}`)
    if (INSIDE.includes(member.key)) entry.say(member.key, value, member, `${path}.${member.key}`)
    else entry.note(member.at, `${path}.${member.key}`, "unknown key, not read")
  }
}

/** `http` is the older name. */
const typeOf = (node: JsonNode): JsonNode =>
  node.type === "string" && node.value === "http" ? { ...node, value: "streamableHttp" } : node

/**
 * Cline: `mcpServers` with `disabled`, times in seconds, and since its command line `transport` with what to connect
 * to.
 */
export const clineShape = shapeOf({
  name: "cline",
  title: CLINE_APPLICATION,
  syntax: (context) => VariableSyntax.editor(CLINE_APPLICATION, context),
  translate: translateCline,
  encode: (out) => {
    out.asProgram("cwd")
    out.asAddress("streamableHttp")
    out.duration("timeout", "timeout", { millis: 1000, least: 1 })
    out.switchedOff("disabled")
  }
})

const ROO_APPLICATION = "Roo Code"

const translateRoo = (entry: Decoding.Decoding): void => {
  entry.move("timeout", "timeout", Nodes.fromSeconds)
  Encoding.readToolLists(entry, null, "disabledTools")
}

/** Roo Code and its relatives: `mcpServers` with `disabled`, `disabledTools`, and times in seconds. */
export const rooShape = shapeOf({
  name: "roo",
  title: ROO_APPLICATION,
  syntax: (context) => VariableSyntax.editor(ROO_APPLICATION, context),
  translate: translateRoo,
  encode: (out) => {
    out.asProgram("cwd")
    out.asAddress("streamable-http")
    out.duration("timeout", "timeout", { millis: 1000, least: 1, most: 3600 })
    out.tools(null, "disabledTools")
    out.switchedOff("disabled")
  }
})

const VSCODE_APPLICATION = "VS Code"

/** Where the object with `servers` and `inputs` stands. */
const HOMES = [["customizations", "vscode", "mcp"], ["mcp"], []]

const decode = (root: JsonNode, context: Context): Result.Result<Found, Fault> => {
  const home = HOMES.find((path) => Nodes.memberOf(Nodes.objectAt(root, path) ?? undefined, "servers") !== undefined) ??
    []
  const inputs = inputsOf(Nodes.objectAt(root, home))
  const dialect = VariableSyntax.editor(VSCODE_APPLICATION, context, inputs)
  const found = Decoding.decodeFamily(root, { dialect, translate: translateVscode, path: [...home, "servers"] })
  return Result.map(found, (all) => {
    // An input that stands in one text more than once is noted once.
    const seen = new Set<string>()
    const isNew = ({ detail, key }: Found["notes"][number]) => seen.size !== seen.add(`${key}: ${detail}`).size
    return { ...all, notes: all.notes.filter(isNew) }
  })
}

const inputsOf = (home: ObjectNode | null): ReadonlyMap<string, VariableSyntax.Input> => {
  const list = Nodes.memberOf(home ?? undefined, "inputs")?.value
  const items = list?.type === "array" ? list.items : []
  return new Map(items.flatMap((item) => {
    const id = textOf(item, "id")
    return id === null ? [] : [[id, { description: textOf(item, "description"), fallback: textOf(item, "default") }]]
  }))
}

const textOf = (node: JsonNode, key: string): string | null => {
  const value = Nodes.memberOf(node, key)?.value
  return value?.type === "string" ? value.value : null
}

const translateVscode = (entry: Decoding.Decoding): void => {
  const env = entry.take("env")
  if (env === undefined) return
  const path = `${entry.path}.env`
  if (env.value.type !== "object") return entry.say("env", env.value, env)
  const [unset, set] = [env.value.members.filter(isNull), env.value.members.filter((member) => !isNull(member))]
  for (const member of unset) {
    entry.note(member.at, `${path}.${member.key}`, "a variable that is not declared is not passed on here", false)
  }
  entry.say("env", entry.translated(Nodes.asTexts({ ...env.value, members: set }), path), env)
}

const isNull = (member: { readonly value: JsonNode }): boolean => member.value.type === "null"

/**
 * VS Code: `{ "servers": { … }, "inputs": [ … ] }` in `mcp.json`, under `mcp` in `settings.json`, and under
 * `customizations.vscode.mcp` in `devcontainer.json`.
 */
export const vscodeShape = shapeOf({
  name: "vscode",
  title: VSCODE_APPLICATION,
  path: ["servers"],
  syntax: (context) => VariableSyntax.editor(VSCODE_APPLICATION, context),
  translate: translateVscode,
  decode,
  encode: (out) => {
    if (out.stdio !== null) out.put("type", "stdio")
    out.asProgram("cwd", "envFile")
    out.asAddress("http")
  }
})

const WINDSURF_APPLICATION = "Windsurf"

const translateWindsurf = (entry: Decoding.Decoding): void => {
  if (entry.has("serverUrl")) entry.drop("url", "\"serverUrl\" goes before it")
  entry.moveTexts("serverUrl", "url")
  Encoding.readToolLists(entry, null, "disabledTools")
}

/** Windsurf: `mcpServers` with `serverUrl`, `disabled` and `${env:NAME}`. */
export const windsurfShape = shapeOf({
  name: "windsurf",
  title: WINDSURF_APPLICATION,
  syntax: (context) => VariableSyntax.editor(WINDSURF_APPLICATION, context),
  translate: translateWindsurf,
  encode: (out) => {
    out.asProgram()
    out.asAddressAt({ streamableHttp: "serverUrl", sse: "serverUrl" })
    out.tools(null, "disabledTools")
    out.switchedOff("disabled")
  }
})

const ZED_APPLICATION = "Zed"

const zedDialect = VariableSyntax.literal(ZED_APPLICATION)

const translateZed = (entry: Decoding.Decoding): void => {
  entry.take("source")
  const isServer = entry.has("command") || entry.has("url")
  if (!isServer) return entry.skip("an extension of Zed brings this server along, and only Zed can start it")
  if (entry.peek("command")?.type === "object") nested(entry)
  else entry.moveTexts("command")
  for (const key of ["args", "env", "url", "headers"]) entry.moveTexts(key)
  entry.move("timeout", "timeout", Nodes.fromSeconds)
  entry.drop("remote", "Zed's remote development is not known here", false)
}

/** The older form: one object with all of the command. */
const nested = (entry: Decoding.Decoding): void => {
  const command = entry.take("command")
  if (command?.value.type !== "object") return
  for (const member of command.value.members) {
    const path = `${entry.path}.command.${member.key}`
    const key = member.key === "path" ? "command" : member.key
    if (["command", "args", "env"].includes(key)) entry.say(key, entry.translated(member.value, path), member, path)
    else entry.note(member.at, path, "unknown key, not read")
  }
}

/** Zed: `context_servers` in its settings, without variables. */
export const zedShape = shapeOf({
  name: "zed",
  title: ZED_APPLICATION,
  path: ["context_servers"],
  syntax: () => zedDialect,
  translate: translateZed,
  encode: (out) => {
    const { stdio } = out
    if (stdio !== null) {
      // Versions of 2025 read no entry without the source, and no version one without arguments.
      out.put("source", "custom")
      out.asProgram()
      if (stdio.args.length === 0) out.put("args", [])
    }
    if (out.http?._tag === "sse") out.impossible("Zed does not speak SSE")
    out.asAddress(null)
    out.duration("timeout", "timeout", { millis: 1000, isWhole: true })
    out.switchedOff("enabled")
  }
})
