/**
 * The native shape as one among the others: what import reads and what export writes.
 */
import * as Duration from "effect/Duration"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { Written } from "../Field.ts"
import type { Fault, JsonNode } from "../JsonNode.ts"
import { DEFAULTS } from "./Defaults.ts"
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import * as Family from "./Family.ts"
import * as Nodes from "./Nodes.ts"
import * as OAuthNames from "./OAuthNames.ts"
import type { Context, Found, Shape } from "./Shape.ts"

const dialect = Dialect.same("boocode")

const reading: Family.Reading = { dialect, translate: () => {} }

const decode = (root: JsonNode, { isBare }: Context): Result.Result<Found, Fault> => {
  if (!isBare || root.type !== "object" || Nodes.objectAt(root, ["mcpServers"]) !== null) {
    return Family.decode(root, reading)
  }
  const servers = root.members.filter(({ key, value }) => !key.startsWith("$") || value.type === "object")
  return Result.succeed(Family.decodeMap({ ...root, members: servers }, "mcpServers", reading))
}

/** boocode's own files. */
export const shape: Shape = {
  name: "native",
  title: "boocode",
  format: "json",
  path: ["mcpServers"],
  decode,
  encode: (entry) => {
    const out = new Encoding(entry, dialect)
    const { stdio } = out
    out.asProgram("cwd", "envFile")
    if (stdio !== null && stdio.inheritEnv.length > 0) out.put("inheritEnv", [...stdio.inheritEnv], "inheritEnv")
    out.asAddress(null, "headersHelper")
    if (out.http?.publicOnly === true) out.put("publicOnly", true, "publicOnly")
    OAuthNames.write(out, OAuthNames.NATIVE)
    settings(out)
    out.switchedOff("enabled")
    return out.end()
  }
}

const settings = (out: Encoding): void => {
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
