/**
 * Claude Desktop, Claude Code and Kode. Claude has `mcpServers`, and in `~/.claude.json` also
 * `projects["/folder"].mcpServers`.
 */
import * as Result from "effect/Result"
import { byKey, type Fault, type JsonNode, type Member, type ObjectNode } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import * as Decoding from "./Decoding.ts"
import { merge, nothing } from "./Decoding.ts"
import * as Encoding from "./Encoding.ts"
import type { Context, Found } from "./Shape.ts"
import { shapeOf } from "./ShapeFamily.ts"
import * as VariableSyntax from "./VariableSyntax.ts"

const dialect = VariableSyntax.same("Claude")

const decode = (root: JsonNode, { standing }: Context): Result.Result<Found, Fault> => {
  const projects = Nodes.objectAt(root, ["projects"])
  if (projects === null || root.type !== "object") return Decoding.decodeFamily(root, { dialect, translate })
  const here = standing
    .map((folder) => projects.members.find(({ key }) => sameFolder(key, folder)))
    .find((member) => member !== undefined)
  const own = here === undefined ? [] : [ofProject(here.key, here.value)]
  const isThere = byKey(root.members).has("mcpServers")
  const common = isThere ? Decoding.decodeFamily(root, { dialect, translate }) : Result.succeed(merge([]))
  return Result.map(common, (found) => merge([...own, found, ...others(projects, here?.key ?? null)]))
}

const ofProject = (folder: string, project: JsonNode): Found => {
  const path = `projects.${folder}.mcpServers`
  const servers = Nodes.objectAt(project, ["mcpServers"])
  if (servers === null) return merge([])
  const off = Nodes.textsOf(Nodes.memberOf(project, "disabledMcpServers")?.value) ?? []
  return Decoding.decodeMap(servers, path, {
    dialect,
    translate: (entry) => {
      translate(entry)
      // The list stands beside the servers, not in them.
      if (off.includes(entry.name)) entry.switchOff()
    }
  })
}

const others = (projects: ObjectNode, here: string | null): ReadonlyArray<Found> =>
  projects.members.flatMap(({ at, key, value }) => {
    const count = Nodes.objectAt(value, ["mcpServers"])?.members.length ?? 0
    if (key === here || count === 0) return []
    const some = count === 1 ? "1 server" : `${count} servers`
    return [nothing(at, `projects.${key}`, `${some} of that folder; they are read when you stand in it`, false)]
  })

const sameFolder = (a: string, b: string): boolean => a.replace(/[/\\]+$/, "") === b.replace(/[/\\]+$/, "")

/** Claude Code takes no shorter time. */
const LEAST_MILLIS = 1000

const translate = (entry: Decoding.Decoding): void => {
  const timeout = entry.take("timeout")
  if (timeout === undefined) return
  const isIgnored = timeout.value.type === "number" && timeout.value.value < LEAST_MILLIS
  if (!isIgnored) return entry.say("timeout", timeout.value, timeout)
  entry.note(timeout.at, `${entry.path}.timeout`, "Claude Code does not heed less than 1000 milliseconds; not read")
}

const OAUTH: Encoding.OAuthNames = [
  ["clientId", "clientId"],
  ["callbackPort", "callbackPort"],
  ["scopes", "scopes"]
]

export const shape = shapeOf({
  name: "claude",
  title: "Claude",
  syntax: () => dialect,
  translate,
  decode,
  encode: (out) => {
    out.asProgram()
    out.asAddress("http", "headersHelper")
    Encoding.writeOAuth(out, OAUTH, false)
    out.duration("timeout", "timeout", { millis: 1, least: LEAST_MILLIS })
    if (out.options.alwaysLoad === true) out.put("alwaysLoad", true, "alwaysLoad")
  }
})

const APPLICATION = "Kode"

/** A `.mcprc` is a file of this program too, so its variables are read in any case. Kode itself passes them on as text. */
const dialectKode = VariableSyntax.same(APPLICATION)

const decodeKode = (root: JsonNode, { isBare }: Context): Result.Result<Found, Fault> => {
  if (!isBare || root.type !== "object" || Nodes.objectAt(root, ["mcpServers"]) !== null) {
    return Decoding.decodeFamily(root, { dialect: dialectKode, translate: translateKode })
  }
  const servers = root.members.filter(({ value }) => value.type === "object")
  return Result.succeed(
    Decoding.decodeMap({ ...root, members: servers }, "mcpServers", { dialect: dialectKode, translate: translateKode })
  )
}

const translateKode = (entry: Decoding.Decoding): void => {
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

/** Kode: `.mcprc` with the bare map of servers or `mcpServers`, and `apiKey` for servers with an address. */
export const kodeShape = shapeOf({
  name: "kode",
  title: APPLICATION,
  syntax: () => dialectKode,
  translate: translateKode,
  decode: decodeKode,
  encode: (out) => {
    out.asProgram("cwd")
    out.asAddress("http")
    if (out.hasVariables()) out.lose([], "Kode passes ${NAME} on as text: put the values in their place")
  }
})
