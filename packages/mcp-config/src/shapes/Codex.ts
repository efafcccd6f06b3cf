/** Codex: `[mcp_servers.NAME]` in TOML, times in seconds, variables only where a field names them. */
import * as Result from "effect/Result"
import type { HttpEntry } from "../model/ServerEntry.ts"
import type { JsonNode, Member } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import * as Template from "../text/Template.ts"
import * as Decoding from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const APPLICATION = "Codex"

const dialect = VariableSyntax.literal(APPLICATION)

const translate = (entry: Decoding.Decoding): void => {
  for (const key of ["command", "args", "env", "cwd", "url"]) entry.moveTexts(key)
  inherited(entry)
  headers(entry)
  entry.moveTexts("http_headers_helper", "headersHelper")
  signingIn(entry)
  entry.move("startup_timeout_ms", "startupTimeout")
  if (entry.has("startup_timeout_ms")) entry.drop("startup_timeout_sec", "\"startup_timeout_ms\" goes before it")
  entry.move("startup_timeout_sec", "startupTimeout", Nodes.fromSeconds)
  entry.move("tool_timeout_sec", "timeout", Nodes.fromSeconds)
  Encoding.readToolLists(entry, "enabled_tools", "disabled_tools")
  questions(entry)
  entry.drop("bearer_token", "Codex refuses a token written here; name its variable as \"bearer_token_env_var\"")
}

/** Names, or objects with a name and where its value comes from. */
const inherited = (entry: Decoding.Decoding): void => {
  const member = entry.take("env_vars")
  if (member === undefined) return
  if (member.value.type !== "array") return entry.say("inheritEnv", Nodes.flag(false, member.value.at), member)
  const names = member.value.items.map((item) => Nodes.memberOf(item, "name")?.value ?? item)
  entry.say("inheritEnv", Nodes.list(names, member.value.at), member)
  for (const item of member.value.items) {
    const source = Nodes.memberOf(item, "source")?.value
    if (source?.type !== "string" || source.value === "local") continue
    entry.note(item.at, `${entry.path}.env_vars`, "every variable comes from this machine here")
  }
}

/** Headers stand in three fields there. */
const headers = (entry: Decoding.Decoding): void => {
  const [plain, named] = [entry.take("http_headers"), entry.take("env_http_headers")]
  const bearer = entry.take("bearer_token_env_var")
  const from = plain ?? named ?? bearer
  if (from === undefined) return
  const odd = [plain, named].find((member) => member !== undefined && member.value.type !== "object")
  if (odd !== undefined) return entry.say("headers", odd.value, odd)
  const members = [
    ...membersOf(plain).map((one) => ({
      ...one,
      value: entry.translated(one.value, `${entry.path}.http_headers.${one.key}`)
    })),
    ...membersOf(named).map((one) => ({
      ...one,
      value: variable(one.value, ""),
      path: `${entry.path}.env_http_headers.${one.key}`
    })),
    ...(bearer === undefined ? [] : [tokenOf(bearer, entry.path)])
  ]
  entry.say("headers", Nodes.object(members, from.value.at), from)
}

/** Codex keeps scopes and resource beside the table; native entries keep them in `oauth`. */
const signingIn = (entry: Decoding.Decoding): void => {
  const [own, scopes, resource] = [entry.take("oauth"), entry.take("scopes"), entry.take("oauth_resource")]
  const from = own ?? scopes ?? resource
  if (from === undefined) return
  const table = own === undefined ? Nodes.object([], from.at) : Decoding.inNativeOAuth(own.value)
  if (table.type !== "object") return entry.say("oauth", table, from)
  const beside = [
    ...(scopes === undefined ? [] : [{ ...scopes, path: `${entry.path}.scopes` }]),
    ...(resource === undefined ? [] : [{ ...resource, key: "resource", path: `${entry.path}.oauth_resource` }])
  ]
  const whole = Nodes.object([...table.members, ...beside], from.at)
  entry.say("oauth", entry.translated(whole, `${entry.path}.oauth`), from)
}

const tokenOf = (bearer: Member, path: string): Member => ({
  key: "Authorization",
  at: bearer.at,
  value: variable(bearer.value, "Bearer "),
  path: `${path}.bearer_token_env_var`
})

const membersOf = (member: Member | undefined): ReadonlyArray<Member> =>
  member?.value.type === "object" ? member.value.members : []

/** The value of the variable that a text names; what cannot be a name is left for the native reader to refuse. */
const variable = (node: JsonNode, before: string): JsonNode =>
  node.type === "string" ? { ...node, value: `${before}\${${node.value}}` } : node

const ASKING = "prompt"

/** Calls that a person is asked about. */
const questions = (entry: Decoding.Decoding): void => {
  const usual = entry.take("default_tools_approval_mode")
  const own = entry.take("tools")
  if (own !== undefined && own.value.type !== "object") return entry.say("tools", own.value, own)
  const patterns = [
    ...(usual !== undefined && isAsking(usual.value) ? ["*"] : []),
    ...membersOf(own).flatMap(({ key, value }) => {
      const mode = Nodes.memberOf(value, "approval_mode")?.value
      return mode === undefined ? [] : [isAsking(mode) ? key : `!${key}`]
    })
  ]
  const from = usual ?? own
  if (from === undefined || patterns.every((pattern) => pattern.startsWith("!"))) return
  entry.say("ask", Nodes.list(patterns.map((pattern) => Nodes.text(pattern, from.at)), from.at), from)
}

const isAsking = (node: JsonNode): boolean => node.type === "string" && node.value === ASKING

const SECONDS = { millis: 1000 }

const NAME = /^[a-zA-Z0-9_-]+$/

export const shape = shapeOf({
  name: "codex",
  title: APPLICATION,
  format: "toml",
  path: ["mcp_servers"],
  syntax: () => dialect,
  translate,
  encode: (out) => {
    const { http, stdio } = out
    if (!NAME.test(out.entry.name)) out.impossible("Codex takes only letters, digits, - and _ in a server's name")
    if (stdio !== null) {
      out.program(stdio, "command", "args")
      // A variable that is passed on under its own name has a field of its own.
      const passed = stdio.env.filter(([name, { text }]) => text === `\${${name}}`).map(([name]) => name)
      out.map("env", "env", stdio.env.filter(([name]) => !passed.includes(name)))
      const names = [...stdio.inheritEnv, ...passed]
      for (const name of passed) out.lose([`env.${name}`, "inheritEnv"], "Codex passes it on where it is set")
      out.put("env_vars", names.length === 0 ? null : names, "inheritEnv")
      out.optional("cwd", "cwd", stdio.cwd)
    }
    if (http !== null) writeHttp(out, http)
    out.duration("startup_timeout_sec", "startupTimeout", SECONDS)
    out.duration("tool_timeout_sec", "timeout", SECONDS)
    out.tools("enabled_tools", "disabled_tools")
    writeQuestions(out)
    out.switchedOff("enabled")
  }
})

const writeHttp = (out: Encoding.Encoding, http: HttpEntry): void => {
  if (http._tag === "sse") out.impossible("Codex does not speak SSE")
  out.put("url", out.need("url", http.url), "url")
  const parts = http.headers.map(([name, written]) => ({
    name,
    written,
    template: Result.getOrNull(Template.parse(written.text)) ?? []
  }))
  const bearer = parts.find(({ name, template }) =>
    name.toLowerCase() === "authorization" && bearerOf(template) !== null
  )
  const named = parts.filter((one) => one !== bearer && Template.onlyVariable(one.template) !== null)
  const plain = parts.filter((one) => one !== bearer && !named.includes(one))
  out.put("bearer_token_env_var", bearer === undefined ? null : bearerOf(bearer.template))
  out.map("http_headers", "headers", plain.map(({ name, written }) => [name, written]))
  const variables = named.map(({ name, template }) => [name, Template.onlyVariable(template)] as const)
  out.put("env_http_headers", variables.length === 0 ? null : Object.fromEntries(variables))
  out.optional("http_headers_helper", "headersHelper", http.headersHelper)
}

/** The variable of a header that is a token and nothing else. */
const bearerOf = ([first, ...rest]: Template.Template): string | null =>
  first?._tag === "text" && first.text === "Bearer " ? Template.onlyVariable(rest) : null

const writeQuestions = (out: Encoding.Encoding): void => {
  const { ask } = out.options
  if (ask.length === 0) return
  const [first, ...rest] = ask
  const names = first === "*" ? rest : ask
  if (names.some((name) => name.includes("*"))) return out.lose(["ask"], "Codex takes names of tools, not patterns")
  out.put("default_tools_approval_mode", first === "*" ? ASKING : null, "ask")
  const modes = names.map((name) => name.startsWith("!") ? [name.slice(1), "auto"] as const : [name, ASKING] as const)
  const tools = Object.fromEntries(modes.map(([name, mode]) => [name, { approval_mode: mode }]))
  out.put("tools", modes.length === 0 ? null : tools)
}
