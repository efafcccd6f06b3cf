/** Gemini CLI: `mcpServers` with `httpUrl`, `url`, `$NAME`, and lists of tools. */
import * as Duration from "effect/Duration"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import { DEFAULTS } from "../model/EntryKeys.ts"
import type { Fault, JsonNode } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import * as Decoding from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import type { Found } from "./Shape.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const APPLICATION = "Gemini CLI"

const dialect = VariableSyntax.dollar(APPLICATION, { fallbacks: true })

const decode = (root: JsonNode): Result.Result<Found, Fault> => {
  const rules = Nodes.objectAt(root, ["mcp"]) ?? undefined
  const allowed = Nodes.textsOf(Nodes.memberOf(rules, "allowed")?.value)
  const excluded = Nodes.textsOf(Nodes.memberOf(rules, "excluded")?.value) ?? []
  const isOff = (name: string) => excluded.includes(name) || allowed !== null && !allowed.includes(name)
  const found = Decoding.decodeFamily(root, {
    dialect,
    translate: (entry) => {
      // The lists stand beside the servers, not in them.
      if (isOff(entry.name)) entry.switchOff()
      translate(entry)
    }
  })
  const command = Nodes.memberOf(rules, "serverCommand")
  if (command === undefined) return found
  const detail = "a command line is not read; write the server under mcpServers"
  const note = { server: null, at: command.at, key: "mcp.serverCommand", detail, matters: true }
  return Result.map(found, (all) => ({ ...all, notes: [...all.notes, note] }))
}

const ADDRESSES = ["command", "httpUrl", "url", "tcp"]

const translate = (entry: Decoding.Decoding): void => {
  if (!ADDRESSES.some((key) => entry.has(key))) {
    return entry.skip("neither a program nor an address: it changes a server that an extension brings along")
  }
  address(entry)
  const timeout = entry.take("timeout")
  if (timeout !== undefined) {
    entry.say("startupTimeout", timeout.value, timeout)
    entry.say("timeout", timeout.value, timeout)
  }
  for (const key of ["command", "args", "env", "cwd", "headers"]) entry.moveTexts(key)
  Encoding.readToolLists(entry, "includeTools", "excludeTools", (name) => name.replace(/\(.*$/s, ""))
}

const address = (entry: Decoding.Decoding): void => {
  if (!entry.has("httpUrl")) return entry.moveTexts("url")
  entry.drop("type", "\"httpUrl\" says already that it is Streamable HTTP", false)
  entry.drop("url", "\"httpUrl\" goes before it")
  entry.moveTexts("httpUrl", "url")
}

export const shape = shapeOf({
  name: "gemini",
  title: APPLICATION,
  syntax: () => dialect,
  translate,
  decode,
  encode: (out) => {
    out.asProgram("cwd")
    out.asAddressAt({ streamableHttp: "httpUrl", sse: "url" })
    time(out)
    out.tools("includeTools", "excludeTools")
  }
})

/** There is one time, for connecting and for calls. */
const time = (out: Encoding.Encoding): void => {
  const { startupTimeout, timeout } = out.options
  out.said("startupTimeout", "timeout")
  const isUsual = Equal.equals(timeout, DEFAULTS.timeout) && Equal.equals(startupTimeout, DEFAULTS.startupTimeout)
  if (isUsual) return
  if (Duration.isFinite(timeout)) out.put("timeout", Duration.toMillis(timeout))
  if (!Equal.equals(timeout, startupTimeout) || !Duration.isFinite(timeout)) {
    out.lose(["startupTimeout", "timeout"], "Gemini CLI has one time, for connecting and for calls, and it ends")
  }
}
