/** opencode: `{ "mcp": { NAME: { "type": "local", "command": […] } } }`, and since its second version `mcp.servers`. */
import * as Result from "effect/Result"
import { byKey, type Fault, type JsonNode, type Member, type ObjectNode } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import { type Decoding, each, merge, nothing } from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import type { Found } from "./Shape.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const dialect = VariableSyntax.opencode()

const decode = (root: JsonNode): Result.Result<Found, Fault> => {
  if (root.type !== "object") return Result.fail({ ...root.at, detail: "expected an object with \"mcp\"" })
  const mcp = byKey(root.members).get("mcp")
  if (mcp === undefined) return Result.succeed(nothing(root.at, "mcp", "not in this file, so there are no servers"))
  if (mcp.value.type !== "object") {
    return Result.fail({ ...mcp.value.at, detail: "\"mcp\" must be an object of servers by name" })
  }
  const rules = rulesOf(root)
  const { limits, second, servers } = parts(mcp.value)
  const older = Nodes.objectAt(root, ["experimental"])
  const usual = { timeout: Nodes.memberOf(older ?? undefined, "mcp_timeout"), limits }
  const read = (map: ObjectNode, path: string) =>
    each(map, path, dialect, (entry) => {
      translate(entry, usual)
      applyTools(entry, rules)
    })
  const found = [...(second === null ? [] : [read(second, "mcp.servers")]), read(servers, "mcp")]
  return Result.succeed(merge([...found, ...generalTools(rules)]))
}

/** The parts of `mcp`. A server may be called `servers` or `timeout`, so their values decide what they are. */
const parts = (mcp: ObjectNode) => {
  const keys = byKey(mcp.members)
  const second = keys.get("servers")?.value
  const isSecond = second?.type === "object" && !isServer(second)
  const limits = keys.get("timeout")?.value
  const isLimits = limits?.type === "object" && limits.members.every(({ key }) => LIMITS.has(key))
  const own = mcp.members.filter(({ key }) => !(key === "servers" && isSecond) && !(key === "timeout" && isLimits))
  return {
    servers: { ...mcp, members: own },
    second: isSecond ? second : null,
    limits: isLimits ? limits : null
  }
}

const isServer = (node: ObjectNode): boolean =>
  ["type", "enabled"].some((key) => {
    const value = Nodes.memberOf(node, key)?.value
    return value !== undefined && value.type !== "object"
  })

const LIMITS = new Set(["startup", "catalog", "execution", "request"])

interface Usual {
  readonly timeout: Member | undefined
  readonly limits: ObjectNode | null
}

const translate = (entry: Decoding, usual: Usual): void => {
  const type = entry.take("type")
  command(entry)
  entry.moveTexts("environment", "env")
  entry.moveTexts("cwd")
  entry.moveTexts("url")
  entry.moveTexts("headers")
  kind(entry, type)
  limit(entry, usual)
}

/** One list there, program and arguments here. */
const command = (entry: Decoding): void => {
  const member = entry.take("command")
  if (member === undefined) return
  const path = `${entry.path}.command`
  const { value } = member
  if (value.type !== "array") return entry.say("command", entry.translated(value, path), member)
  const [program, ...args] = value.items.map((item, index) => entry.translated(item, `${path}[${index}]`))
  entry.say("command", program ?? Nodes.text("", value.at), member)
  const [first] = args
  if (first !== undefined) entry.say("args", Nodes.list(args, first.at), member)
}

const KINDS = new Map([["local", "stdio"], ["remote", "streamableHttp"]])

/** Says the type where leaving it out would give another one, or none. */
const kind = (entry: Decoding, type: Member | undefined): void => {
  if (type === undefined) return
  const known = type.value.type === "string" ? KINDS.get(type.value.value) : undefined
  const isPlain = known === "stdio"
    ? entry.has("command") && !entry.has("url")
    : entry.has("url") && !entry.has("command")
  if (known === undefined) entry.say("type", type.value, type)
  else if (!isPlain) entry.say("type", Nodes.text(known, type.value.at), type)
}

const limit = (entry: Decoding, usual: Usual): void => {
  const own = entry.take("timeout")
  const limits = own?.value.type === "object" ? own.value : usual.limits
  const execution = Nodes.memberOf(limits ?? undefined, "execution") ?? Nodes.memberOf(limits ?? undefined, "request")
  const startup = Nodes.memberOf(limits ?? undefined, "startup")
  const one = own !== undefined && own.value.type !== "object" ? own : execution ?? usual.timeout
  const path = own === undefined ? undefined : `${entry.path}.timeout`
  if (one !== undefined) entry.say("timeout", one.value, one, path)
  if (startup !== undefined && (own === undefined || own.value.type === "object")) {
    entry.say("startupTimeout", startup.value, startup, path)
  }
  const catalog = Nodes.memberOf(own?.value, "catalog")
  if (catalog !== undefined) {
    entry.note(catalog.at, `${path}.catalog`, "listing the tools belongs to \"startupTimeout\" here", false)
  }
}

const OAUTH: Encoding.OAuthNames = [
  ["clientId", "clientId"],
  ["clientSecret", "clientSecret"],
  ["scopes", "scope"],
  ["callbackPort", "callbackPort"],
  ["redirectUri", "redirectUri"]
]

/** opencode. Its second version reads what is written here too. */
export const shape = shapeOf({
  name: "opencode",
  title: "opencode",
  path: ["mcp"],
  syntax: () => dialect,
  translate: () => {},
  decode,
  encode: (out) => {
    const { http, stdio } = out
    if (stdio !== null) {
      out.put("type", "local")
      const program = [out.need("command", stdio.command)]
      const args = stdio.args.map((arg, index) => out.need(`args[${index}]`, arg))
      out.put("command", [...program, ...args], "command", "args")
      out.map("environment", "env", stdio.env)
      out.optional("cwd", "cwd", stdio.cwd)
    }
    if (http !== null) {
      out.put("type", "remote")
      out.put("url", out.need("url", http.url), "url")
      out.map("headers", "headers", http.headers)
      Encoding.writeOAuth(out, OAUTH, false)
      if (http._tag === "sse") out.lose(["type"], "opencode finds out by itself whether a server speaks SSE")
    }
    out.duration("timeout", "timeout", { millis: 1, isWhole: true })
    if (out.options.tools !== null || out.options.ask.length > 0) {
      out.said("tools", "ask")
      out.lose(["tools", "ask"], "opencode has these under \"permission\", for all servers together")
    }
    out.switchedOff("enabled")
  }
})

// opencode's rules about tools, `{ "permission": { "github_*": "ask" } }`: those about one server's tools are that
// server's `tools` and `ask` here.

type Answer = "allow" | "ask" | "deny"

interface Rule {
  readonly pattern: string
  /** Null when it is not one of opencode's answers. */
  readonly answer: Answer | null
  readonly member: Member
  readonly path: string
}

/** The rules of a file, in the order in which a later one beats an earlier one. */
const rulesOf = (root: ObjectNode): ReadonlyArray<Rule> =>
  ["tools", "permission"].flatMap((key) => {
    const value = byKey(root.members).get(key)?.value
    const members = value?.type === "object" ? value.members : []
    return members.map((member) => ({
      pattern: member.key,
      answer: answerOf(member.value),
      member,
      path: `${key}.${member.key}`
    }))
  })

const answerOf = (node: JsonNode): Answer | null => {
  if (node.type === "boolean") return node.value ? "allow" : "deny"
  const word = node.type === "string" ? node.value : ""
  return word === "allow" || word === "ask" || word === "deny" ? word : null
}

/** Says the rules about an entry's tools. A rule that cannot be read denies: it was there to forbid something. */
const applyTools = (entry: Decoding, rules: ReadonlyArray<Rule>): void => {
  const prefix = `${entry.name.replace(/[^a-zA-Z0-9_-]/g, "_")}_`
  const own = rules.filter((rule) => rule.pattern.startsWith(prefix))
  const [first] = own
  if (first === undefined || entry.has("tools") || entry.has("ask")) return
  const patternOf = ({ pattern }: Rule) => pattern.slice(prefix.length).replaceAll("?", "*")
  const tools = own.map((rule) => `${rule.answer === "deny" || rule.answer === null ? "!" : ""}${patternOf(rule)}`)
  if (tools.some((pattern) => pattern.startsWith("!"))) {
    const all = tools[0] === "*" ? tools : ["*", ...tools]
    entry.say("tools", texts(all, first), first.member, first.path)
  }
  const ask = own.map((rule) => `${rule.answer === "ask" ? "" : "!"}${patternOf(rule)}`)
  if (ask.some((pattern) => !pattern.startsWith("!"))) entry.say("ask", texts(ask, first), first.member, first.path)
  for (const rule of own.filter((one) => one.pattern.includes("?"))) {
    entry.note(rule.member.at, rule.path, "a \"?\" stands for any run of characters here")
  }
}

const texts = (values: ReadonlyArray<string>, { member }: Rule): JsonNode =>
  Nodes.list(values.map((value) => Nodes.text(value, member.at)), member.at)

/** A note on the first rule that may be about tools of several servers, or of none. */
const generalTools = (rules: ReadonlyArray<Rule>): ReadonlyArray<Found> => {
  const rule = rules.find(({ answer, pattern }) => answer !== "allow" && /^[^_]*\*/.test(pattern))
  if (rule === undefined) return []
  const detail = "a rule about the tools of more than one server is not read; set \"tools\" and \"ask\" of each server"
  return [nothing(rule.member.at, rule.path, detail)]
}
