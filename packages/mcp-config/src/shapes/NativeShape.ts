/** The native shape as one among the others: what import reads and what export writes. */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as NativeEntry from "../entry/NativeEntry.ts"
import { DEFAULTS } from "../model/EntryKeys.ts"
import type { Fault, JsonNode } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import * as Decoding from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import type { Context, Found } from "./Shape.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const dialect = VariableSyntax.same("boocode")

const reading: Decoding.Reading = { dialect, translate: () => {} }

const decode = (root: JsonNode, { isBare }: Context): Result.Result<Found, Fault> => {
  if (!isBare || root.type !== "object" || Nodes.objectAt(root, ["mcpServers"]) !== null) {
    return Decoding.decodeFamily(root, reading)
  }
  const servers = root.members.filter(({ key, value }) => !key.startsWith("$") || value.type === "object")
  return Result.succeed(Decoding.decodeMap({ ...root, members: servers }, "mcpServers", reading))
}

export const shape = shapeOf({
  name: "native",
  title: "boocode",
  syntax: () => dialect,
  translate: () => {},
  decode,
  encode: (out) => {
    const { stdio } = out
    out.asProgram("cwd", "envFile")
    if (stdio !== null && stdio.inheritEnv.length > 0) out.put("inheritEnv", [...stdio.inheritEnv], "inheritEnv")
    out.asAddress(null, "headersHelper")
    if (out.http?.publicOnly === true) out.put("publicOnly", true, "publicOnly")
    Encoding.writeOAuth(out, Encoding.NATIVE_OAUTH)
    settings(out)
    out.switchedOff("enabled")
  }
})

const settings = (out: Encoding.Encoding): void => {
  for (const [key, value] of NativeEntry.encodeOptions(out.options)) {
    if (!Equal.equals(out.options[key], DEFAULTS[key])) out.put(key, value)
    out.said(key)
  }
}
