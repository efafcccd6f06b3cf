/**
 * VS Code: `{ "servers": { … }, "inputs": [ … ] }` in `mcp.json`, under `mcp` in `settings.json`, and under
 * `customizations.vscode.mcp` in `devcontainer.json`.
 */
import * as Result from "effect/Result"
import type { Fault, JsonNode } from "../JsonNode.ts"
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import type { ObjectNode } from "./EntryReader.ts"
import * as Family from "./Family.ts"
import * as Nodes from "./Nodes.ts"
import type { Context, Found, Shape } from "./Shape.ts"
import type { Translation } from "./Translation.ts"

const APPLICATION = "VS Code"

/** Where the object with `servers` and `inputs` stands. */
const HOMES = [["customizations", "vscode", "mcp"], ["mcp"], []]

const decode = (root: JsonNode, context: Context): Result.Result<Found, Fault> => {
  const home = HOMES.find((path) => Nodes.memberOf(Nodes.objectAt(root, path) ?? undefined, "servers") !== undefined) ??
    []
  const inputs = inputsOf(Nodes.objectAt(root, home))
  const dialect = Dialect.editor(APPLICATION, context, inputs)
  return Result.map(Family.decode(root, { dialect, translate, path: [...home, "servers"] }), (found) => ({
    ...found,
    notes: found.notes.filter((note, index) => found.notes.findIndex((other) => isRepeated(note, other)) === index)
  }))
}

/** One place may say the same twice, where an input stands in one text more than once. */
const isRepeated = (a: Found["notes"][number], b: Found["notes"][number]): boolean =>
  a.key === b.key && a.detail === b.detail

const inputsOf = (home: ObjectNode | null): ReadonlyMap<string, Dialect.Input> => {
  const list = Nodes.memberOf(home ?? undefined, "inputs")?.value
  const items = list?.type === "array" ? list.items : []
  return new Map(items.flatMap((item) => {
    const id = textOf(item, "id")
    return id === null ? [] : [[id, { description: textOf(item, "description"), fallback: textOf(item, "default") }]]
  }))
}

const textOf = (node: JsonNode, key: string): string | null => {
  const value = Nodes.memberOf(node, key)?.value
  return value?.type === "string" ? value.value : null
}

const translate = (entry: Translation): void => {
  const env = entry.take("env")
  if (env === undefined) return
  const path = `${entry.path}.env`
  if (env.value.type !== "object") return entry.say("env", env.value, env)
  const [unset, set] = [env.value.members.filter(isNull), env.value.members.filter((member) => !isNull(member))]
  for (const member of unset) {
    entry.note(member.at, `${path}.${member.key}`, "a variable that is not declared is not passed on here", false)
  }
  entry.say("env", entry.translated(Nodes.asTexts({ ...env.value, members: set }), path), env)
}

const isNull = (member: { readonly value: JsonNode }): boolean => member.value.type === "null"

/** VS Code. */
export const shape: Shape = {
  name: "vscode",
  title: APPLICATION,
  format: "json",
  path: ["servers"],
  decode,
  encode: (entry) => {
    const out = new Encoding(entry, Dialect.editor(APPLICATION))
    if (out.stdio !== null) out.put("type", "stdio")
    out.asProgram("cwd", "envFile")
    out.asAddress("http")
    return out.end()
  }
}
