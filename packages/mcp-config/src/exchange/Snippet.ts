/** The JSON by which a server's README says how to configure it: a whole file, some servers by name, or one entry alone. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { surroundings } from "../read/ConfigFiles.ts"
import * as Recognition from "../shapes/Recognition.ts"
import type { ShapeName } from "../shapes/Shape.ts"
import { byKey, type ObjectNode } from "../text/JsonNode.ts"
import * as JsonNode from "../text/JsonNode.ts"

/** The native entries of a snippet, in their order. The last entry of a name counts. */
export interface Snippet {
  /** The name of the only one is null when it is an entry alone. */
  readonly servers: ReadonlyArray<readonly [name: string | null, entry: Schema.JsonObject]>
  /** Parts of another application's snippet that a native entry cannot hold. */
  readonly notes: ReadonlyArray<string>
  readonly shape: ShapeName
}

/**
 * Reads a snippet meant for a file: `{ "mcpServers": { … } }`, `{ "name": { … } }`, an entry, any of these without the
 * outermost braces, or the JSON of another application. Comments and trailing commas are accepted. Fails with the first
 * wrong place.
 */
export const parse = Effect.fnUntraced(function*(text: string, file: string) {
  const asWritten = JsonNode.parse(text)
  // People copy the lines between the braces.
  const root = Result.orElse(asWritten, () => Result.orElse(JsonNode.parse(`{${text}\n}`), () => asWritten))
  const { servers, shape, whole } = yield* Effect.fromResult(Result.flatMap(root, asFile))
  if (shape === "native") return { ...yield* Effect.fromResult(fromServers(servers)), shape } satisfies Snippet
  // Loaded late: few snippets are another application's, and their reader is large.
  const ConfigShape = yield* Effect.promise(() => import("../shapes/ConfigShape.ts"))
  const found = yield* Effect.fromResult(
    ConfigShape.find(whole, shape, { ...(yield* surroundings(file)), isBare: false })
  )
  const { servers: native } = yield* Effect.fromResult(
    fromServers({ type: "object", at: whole.at, members: found.servers })
  )
  return {
    shape,
    servers: native,
    notes: found.notes.filter(({ matters }) => matters).map(({ detail, key }) => `${key}: ${detail}`)
  } satisfies Snippet
})

/** A snippet as the file it would be. */
interface AsFile {
  readonly whole: ObjectNode
  readonly servers: JsonNode.JsonNode
  readonly shape: ShapeName
}

/** The name that an entry alone has until somebody gives it one. */
const NAMELESS = ""

const asFile = (root: JsonNode.JsonNode): Result.Result<AsFile, JsonNode.Fault> => {
  if (root.type !== "object") return fault(root, "expected an object of servers by name, or one entry")
  const keys = byKey(root.members)
  const wrapped = keys.get(SERVERS)
  if (wrapped !== undefined) {
    return Result.succeed({ whole: root, servers: wrapped.value, shape: Recognition.shapeOf(root) })
  }
  const shape = Recognition.shapeOf(root)
  if (shape !== "native") return Result.succeed({ whole: root, servers: root, shape })
  const values = Array.from(keys.values())
  const isEntry = values.some(({ value }) => value.type !== "object")
  const wrapper = isEntry ? undefined : values.find(({ value }) => holdsServers(value))
  if (wrapper !== undefined) return fault(wrapper, `"${wrapper.key}" is how another application writes its servers`)
  const servers = isEntry ? objectOf(NAMELESS, root) : root
  const whole = objectOf(SERVERS, servers)
  return Result.succeed({ whole, servers, shape: Recognition.shapeOf(whole) })
}

const SERVERS = "mcpServers"

const objectOf = (key: string, value: ObjectNode): ObjectNode => ({
  type: "object",
  at: value.at,
  members: [{ key, at: value.at, value }]
})

const fromServers = (node: JsonNode.JsonNode): Result.Result<Omit<Snippet, "shape">, JsonNode.Fault> => {
  if (node.type !== "object") return fault(node, "expected an object of servers by name")
  const members = Array.from(byKey(node.members).values())
  if (members.length === 0) return fault(node, "there is no server in it")
  const servers = members.map(({ key, value }) =>
    Result.map(entryOf(value), (entry) => [key === NAMELESS ? null : key, entry] as const)
  )
  return Result.map(Result.all(servers), (all) => ({ servers: all, notes: [] }))
}

/** An object of objects that say what to start or where to go: not a server, but what holds servers. */
const holdsServers = (node: JsonNode.JsonNode): boolean =>
  node.type === "object" && node.members.length > 0 && node.members.every(({ value }) => isEntry(value))

const isEntry = (node: JsonNode.JsonNode): boolean =>
  node.type === "object" && node.members.some(({ key }) => /^(command|cmd|url|uri|httpUrl|serverUrl)$/.test(key))

const entryOf = (node: JsonNode.JsonNode): Result.Result<Schema.JsonObject, JsonNode.Fault> => {
  if (node.type !== "object") return fault(node, "expected an entry: an object with \"command\" or \"url\"")
  return Result.succeed(Object.fromEntries(node.members.map(({ key, value }) => [key, JsonNode.toValue(value)])))
}

const fault = ({ at }: { readonly at: JsonNode.Place }, detail: string): Result.Result<never, JsonNode.Fault> =>
  Result.fail({ ...at, detail })
