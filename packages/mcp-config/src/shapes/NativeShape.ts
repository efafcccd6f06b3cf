/**
 * The native shape as one among the others: what import reads and what export writes.
 */
import * as Duration from "effect/Duration"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { DEFAULTS } from "../model/ServerEntry.ts"
import type { Written } from "../text/Field.ts"
import type { Fault, JsonNode } from "../text/JsonNode.ts"
import * as Decoding from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import * as Nodes from "./Nodes.ts"
import type { Context, Found, Shape } from "./Shape.ts"
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

/** boocode's own files. */
export const shape: Shape = {
  name: "native",
  title: "boocode",
  format: "json",
  path: ["mcpServers"],
  decode,
  encode: (entry) => {
    const out = new Encoding.Encoding(entry, dialect)
    const { stdio } = out
    out.asProgram("cwd", "envFile")
    if (stdio !== null && stdio.inheritEnv.length > 0) out.put("inheritEnv", [...stdio.inheritEnv], "inheritEnv")
    out.asAddress(null, "headersHelper")
    if (out.http?.publicOnly === true) out.put("publicOnly", true, "publicOnly")
    Encoding.writeOAuth(out, Encoding.NATIVE_OAUTH)
    settings(out)
    out.switchedOff("enabled")
    return out.end()
  }
}

const settings = (out: Encoding.Encoding): void => {
  const { options } = out
  for (const key of Struct.keys(DEFAULTS)) {
    const value = options[key]
    const isSet = !Equal.equals(value, DEFAULTS[key])
    if (isSet) {
      out.put(key, Duration.isDuration(value) ? millis(value) : typeof value === "object" ? list(value) : value)
    }
    out.said(key)
  }
}

/** Milliseconds, or the words for no end. */
const millis = (value: Duration.Duration) => Duration.isFinite(value) ? Duration.toMillis(value) : "Infinity"

const list = (value: ReadonlyArray<string | Written> | null) =>
  value === null ? null : value.map((item) => typeof item === "string" ? item : item.text)
