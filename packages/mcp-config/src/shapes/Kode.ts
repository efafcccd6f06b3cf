/**
 * Kode: `.mcprc` with the bare map of servers or `mcpServers`, and `apiKey` for servers with an address.
 */
import * as Result from "effect/Result"
import type { Fault, JsonNode, Member } from "../JsonNode.ts"
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import * as Family from "./Family.ts"
import * as Nodes from "./Nodes.ts"
import type { Context, Found, Shape } from "./Shape.ts"
import type { Translation } from "./Translation.ts"

const APPLICATION = "Kode"

/** A `.mcprc` is a file of this program too, so its variables are read in any case. Kode itself passes them on as text. */
const dialect = Dialect.same(APPLICATION)

const decode = (root: JsonNode, { isBare }: Context): Result.Result<Found, Fault> => {
  if (!isBare || root.type !== "object" || Nodes.objectAt(root, ["mcpServers"]) !== null) {
    return Family.decode(root, { dialect, translate })
  }
  const servers = root.members.filter(({ value }) => value.type === "object")
  return Result.succeed(Family.decodeMap({ ...root, members: servers }, "mcpServers", { dialect, translate }))
}

const translate = (entry: Translation): void => {
  const apiKey = entry.take("apiKey")
  if (apiKey === undefined) return
  const headers = entry.take("headers")
  if (headers !== undefined && headers.value.type !== "object") return entry.say("headers", headers.value, headers)
  const given = headers?.value.type === "object" ? headers.value.members : []
  const value = apiKey.value.type === "string"
    ? { ...apiKey.value, value: `Bearer ${apiKey.value.value}` }
    : apiKey.value
  const bearer: Member = { key: "Authorization", at: apiKey.at, value, path: `${entry.path}.apiKey` }
  const isGiven = given.some(({ key }) => key.toLowerCase() === "authorization")
  if (isGiven) entry.note(apiKey.at, `${entry.path}.apiKey`, "the header Authorization goes before it")
  entry.say("headers", Nodes.object(isGiven ? given : [...given, bearer], apiKey.at), headers ?? apiKey)
}

/** Kode. */
export const shape: Shape = {
  name: "kode",
  title: APPLICATION,
  format: "json",
  path: ["mcpServers"],
  decode,
  encode: (entry) => {
    const out = new Encoding(entry, dialect)
    out.asProgram("cwd")
    out.asAddress("http")
    if (out.hasVariables()) out.lose([], "Kode passes ${NAME} on as text: put the values in their place")
    return out.end()
  }
}
