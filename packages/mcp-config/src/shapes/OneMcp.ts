/** 1MCP: `mcpServers` with `disabled`, two times in milliseconds, and rules about the environment that servers inherit. */
import type { StdioEntry } from "../model/ServerEntry.ts"
import type { JsonNode, Member } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import type * as Decoding from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const APPLICATION = "1MCP"

const dialect = VariableSyntax.dollar(APPLICATION, { fallbacks: false })

const translate = (entry: Decoding.Decoding): void => {
  times(entry)
  environment(entry)
  Encoding.readToolLists(entry, null, "disabledTools")
  entry.move(
    "restartOnExit",
    "restart",
    (node) => node.type === "boolean" ? Nodes.text(node.value ? "on-failure" : "never", node.at) : node
  )
}

/** `timeout` stands for both where they are not set. */
const times = (entry: Decoding.Decoding): void => {
  const both = entry.take("timeout")
  const [connecting, calling] = [entry.take("connectionTimeout") ?? both, entry.take("requestTimeout") ?? both]
  if (connecting !== undefined) entry.say("startupTimeout", connecting.value, connecting)
  if (calling !== undefined) entry.say("timeout", calling.value, calling)
}

/** Variables to set as a map, or as a list in which a name alone is passed on. */
const environment = (entry: Decoding.Decoding): void => {
  const env = entry.take("env")
  const items = env?.value.type === "array" ? env.value.items : []
  const [set, named] = [items.filter(isAssignment), items.filter((item) => !isAssignment(item))]
  const filtered = filter(entry)
  const names = [...named, ...filtered]
  const [first] = names
  if (env !== undefined && (set.length > 0 || items.length === 0)) {
    const value = items.length === 0 && env.value.type !== "array"
      ? env.value
      : Nodes.object(set.map(assigned), env.value.at)
    entry.say("env", entry.translated(value, `${entry.path}.env`), env)
  }
  if (first !== undefined) {
    const from = env ?? { key: "envFilter", at: first.at, value: first }
    entry.say("inheritEnv", Nodes.list(names, first.at), from)
  }
}

const isAssignment = (node: JsonNode): boolean => node.type === "string" && node.value.includes("=")

const assigned = (node: JsonNode): Member => {
  const [, key = "", value = ""] = /^([^=]*)=([^]*)$/.exec(node.type === "string" ? node.value : "") ?? []
  return { key: key.trim(), at: node.at, value: Nodes.text(value, node.at) }
}

/** The names that are let through, where everything is inherited. */
const filter = (entry: Decoding.Decoding): ReadonlyArray<JsonNode> => {
  const all = entry.take("inheritParentEnv")
  const patterns = entry.take("envFilter")
  const isAll = all?.value.type === "boolean" && all.value.value
  if (all === undefined || !isAll) return []
  const items = patterns?.value.type === "array" ? patterns.value.items : []
  const names = items.filter((item) => item.type === "string" && /^[^!*]+$/.test(item.value))
  if (names.length === items.length && items.length > 0) return names
  entry.note(
    (patterns ?? all).at,
    `${entry.path}.${(patterns ?? all).key}`,
    "a server inherits a short list of variables and those that \"inheritEnv\" names one by one; patterns are not read"
  )
  return names
}

/** 1MCP. */
export const shape = shapeOf({
  name: "1mcp",
  title: APPLICATION,
  syntax: () => dialect,
  translate,
  encode: (out) => {
    const { options, stdio } = out
    if (stdio !== null) {
      out.program(stdio, "command", "args")
      writeEnvironment(out, stdio)
      out.optional("cwd", "cwd", stdio.cwd)
    }
    out.asAddress("http")
    out.duration("connectionTimeout", "startupTimeout", { millis: 1 })
    out.duration("requestTimeout", "timeout", { millis: 1 })
    out.put("restartOnExit", options.restart === "on-failure" ? true : null, "restart")
    out.tools(null, "disabledTools")
    out.switchedOff("disabled")
  }
})

const writeEnvironment = (out: Encoding.Encoding, stdio: StdioEntry): void => {
  if (stdio.inheritEnv.length === 0) return out.map("env", "env", stdio.env)
  const set = stdio.env.flatMap(([name, written]) => {
    const text = out.worded(written)
    if (text === null) out.loseText(`env.${name}`)
    return text === null ? [] : [`${name}=${text}`]
  })
  out.put("env", [...stdio.inheritEnv, ...set], "env", "inheritEnv")
}
