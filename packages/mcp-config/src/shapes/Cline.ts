/**
 * Cline: `mcpServers` with `disabled`, times in seconds, and since its command line `transport` with what to connect to.
 */
import type { JsonNode, Member } from "../JsonNode.ts"
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import * as Family from "./Family.ts"
import * as Nodes from "./Nodes.ts"
import type { Shape } from "./Shape.ts"
import type { Translation } from "./Translation.ts"

const APPLICATION = "Cline"

const INSIDE = ["type", "command", "args", "cwd", "env", "url", "headers"]

const translate = (entry: Translation): void => {
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

const inside = (entry: Translation, members: ReadonlyArray<Member>): void => {
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

/** Cline. */
export const shape: Shape = {
  name: "cline",
  title: APPLICATION,
  format: "json",
  path: ["mcpServers"],
  decode: (root, context) => Family.decode(root, { dialect: Dialect.editor(APPLICATION, context), translate }),
  encode: (entry) => {
    const out = new Encoding(entry, Dialect.editor(APPLICATION))
    out.asProgram("cwd")
    out.asAddress("streamableHttp")
    out.duration("timeout", "timeout", { millis: 1000, least: 1 })
    out.switchedOff("disabled")
    return out.end()
  }
}
