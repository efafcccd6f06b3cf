/** goose: `extensions` in YAML with `cmd`, `envs`, `uri`, and times in seconds. */
import type { JsonNode } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import type * as Decoding from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const APPLICATION = "goose"

const dialect = VariableSyntax.dollar(APPLICATION, { fallbacks: false })

const KINDS = new Map([["stdio", "stdio"], ["streamable_http", "streamableHttp"], ["sse", "sse"]])

const translate = (entry: Decoding.Decoding): void => {
  const type = entry.take("type")
  const name = type?.value.type === "string" ? type.value.value : null
  const known = name === null ? undefined : KINDS.get(name)
  if (name !== null && known === undefined) {
    return entry.skip(`an extension of the type ${name} is a part of goose, not a server`)
  }
  if (type !== undefined) {
    const isPlain = known === (entry.has("cmd") ? "stdio" : "streamableHttp") && entry.has("cmd") !== entry.has("uri")
    if (!isPlain) entry.say("type", known === undefined ? type.value : Nodes.text(known, type.value.at), type)
  }
  if (!entry.has("enabled")) {
    entry.switchOff()
    entry.note(entry.node.at, entry.path, "goose uses no extension without \"enabled\", so it is off here too")
  }
  entry.moveTexts("cmd", "command")
  entry.moveTexts("args")
  entry.moveTexts("uri", "url")
  entry.moveTexts("headers", "headers", Nodes.asTexts)
  entry.moveTexts("envs", "env", Nodes.asTexts)
  keys(entry)
  entry.move("timeout", "timeout", Nodes.fromSeconds)
  tools(entry)
}

/** goose asks its own store for these first. */
const keys = (entry: Decoding.Decoding): void => {
  const member = entry.take("env_keys")
  if (member === undefined || member.value.type === "array" && member.value.items.length === 0) return
  if (entry.has("uri")) return entry.note(member.at, `${entry.path}.env_keys`, "only a program gets variables here")
  entry.say("inheritEnv", member.value, member)
  entry.note(
    member.at,
    `${entry.path}.env_keys`,
    "read from the environment; what goose keeps in its own store must be set there"
  )
}

/** An empty list means all tools there. */
const tools = (entry: Decoding.Decoding): void => {
  if (isEmpty(entry.peek("available_tools"))) entry.take("available_tools")
  else Encoding.readToolLists(entry, "available_tools", null)
}

const isEmpty = (node: JsonNode | undefined): boolean => node?.type === "array" && node.items.length === 0

export const shape = shapeOf({
  name: "goose",
  title: APPLICATION,
  format: "yaml",
  path: ["extensions"],
  syntax: () => dialect,
  translate,
  encode: (out) => {
    const { http, stdio } = out
    out.put("enabled", out.entry.enabled, "enabled")
    out.put("type", stdio === null ? "streamable_http" : "stdio")
    out.put("name", out.entry.name)
    out.put("description", "")
    if (stdio !== null) {
      out.program(stdio, "cmd", "args")
      out.map("envs", "env", stdio.env)
      out.put("env_keys", stdio.inheritEnv.length === 0 ? null : [...stdio.inheritEnv], "inheritEnv")
    }
    if (http !== null) {
      if (http._tag === "sse") out.impossible("goose does not speak SSE any more")
      out.put("uri", out.need("url", http.url), "url")
      out.map("headers", "headers", http.headers)
    }
    out.duration("timeout", "timeout", { millis: 1000, isWhole: true })
    writeTools(out)
  }
})

/** There is no list of tools that means none. */
const writeTools = (out: Encoding.Encoding): void => {
  const lists = Encoding.fromPatterns(out.options.tools ?? ["*"])
  if (lists?.allowed?.length === 0) out.impossible("it offers no tool here, and goose cannot say that")
  else out.tools("available_tools", null)
}
