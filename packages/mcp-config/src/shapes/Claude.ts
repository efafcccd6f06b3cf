/**
 * Claude Desktop and Claude Code: `mcpServers`, and in `~/.claude.json` also `projects["/folder"].mcpServers`.
 */
import * as Result from "effect/Result"
import type { Fault, JsonNode } from "../JsonNode.ts"
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import { byKey, type ObjectNode } from "./EntryReader.ts"
import * as Family from "./Family.ts"
import * as Nodes from "./Nodes.ts"
import * as OAuthNames from "./OAuthNames.ts"
import type { Context, Found, Shape } from "./Shape.ts"
import { merge, nothing, type Translation } from "./Translation.ts"

const dialect = Dialect.same("Claude")

const decode = (root: JsonNode, { standing }: Context): Result.Result<Found, Fault> => {
  const projects = Nodes.objectAt(root, ["projects"])
  if (projects === null || root.type !== "object") return Family.decode(root, { dialect, translate })
  const here = standing
    .map((folder) => projects.members.find(({ key }) => sameFolder(key, folder)))
    .find((member) => member !== undefined)
  const own = here === undefined ? [] : [ofProject(here.key, here.value)]
  const isThere = byKey(root.members).has("mcpServers")
  const common = isThere ? Family.decode(root, { dialect, translate }) : Result.succeed(merge([]))
  return Result.map(common, (found) => merge([...own, found, ...others(projects, here?.key ?? null)]))
}

const ofProject = (folder: string, project: JsonNode): Found => {
  const path = `projects.${folder}.mcpServers`
  const servers = Nodes.objectAt(project, ["mcpServers"])
  if (servers === null) return merge([])
  const off = Nodes.textsOf(Nodes.memberOf(project, "disabledMcpServers")?.value) ?? []
  return Family.decodeMap(servers, path, {
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

const translate = (entry: Translation): void => {
  const timeout = entry.take("timeout")
  if (timeout === undefined) return
  const isIgnored = timeout.value.type === "number" && timeout.value.value < LEAST_MILLIS
  if (!isIgnored) return entry.say("timeout", timeout.value, timeout)
  entry.note(timeout.at, `${entry.path}.timeout`, "Claude Code does not heed less than 1000 milliseconds; not read")
}

const OAUTH: OAuthNames.Names = [
  ["clientId", "clientId"],
  ["callbackPort", "callbackPort"],
  ["scopes", "scopes"]
]

/** Claude Desktop and Claude Code. */
export const shape: Shape = {
  name: "claude",
  title: "Claude",
  format: "json",
  path: ["mcpServers"],
  decode,
  encode: (entry) => {
    const out = new Encoding(entry, dialect)
    out.asProgram()
    out.asAddress("http", "headersHelper")
    OAuthNames.write(out, OAUTH, false)
    out.duration("timeout", "timeout", { millis: 1, least: LEAST_MILLIS })
    if (out.options.alwaysLoad === true) out.put("alwaysLoad", true, "alwaysLoad")
    return out.end()
  }
}
