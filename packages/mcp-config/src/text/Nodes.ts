/** Values made while an entry is translated; each stands where the value stood that it is made from. */
import { byKey, type JsonNode, type Member, type ObjectNode, type Place } from "./JsonNode.ts"

export const text = (value: string, at: Place): JsonNode => ({ type: "string", value, at })

export const list = (items: ReadonlyArray<JsonNode>, at: Place): JsonNode => ({ type: "array", items, at })

export const object = (members: ReadonlyArray<Member>, at: Place): ObjectNode => ({ type: "object", members, at })

/** True or false. */
export const flag = (value: boolean, at: Place): JsonNode => ({ type: "boolean", value, at })

/** The member of an object under a key; undefined for anything else. */
export const memberOf = (node: JsonNode | undefined, key: string): Member | undefined =>
  node?.type === "object" ? byKey(node.members).get(key) : undefined

/** The object under a path of keys; null when there is none. */
export const objectAt = (node: JsonNode, path: ReadonlyArray<string>): ObjectNode | null => {
  const found = path.reduce<JsonNode | undefined>((one, key) => memberOf(one, key)?.value, node)
  return found?.type === "object" ? found : null
}

/** The texts of a list; null for anything but a list of texts. */
export const textsOf = (node: JsonNode | undefined): ReadonlyArray<string> | null => {
  if (node?.type !== "array") return null
  const texts = node.items.flatMap((item) => item.type === "string" ? [item.value] : [])
  return texts.length === node.items.length ? texts : null
}

/** Seconds as milliseconds. Other values stay, so that the native reader refuses them. */
export const fromSeconds = (node: JsonNode): JsonNode =>
  node.type === "number" ? { ...node, value: Math.round(node.value * 1e6) / 1e3 } : node

/** Numbers and flags inside as the texts that a process gets. */
export const asTexts = (node: JsonNode): JsonNode => {
  if (node.type === "number" || node.type === "boolean") return text(String(node.value), node.at)
  if (node.type !== "object") return node
  return { ...node, members: node.members.map((member) => ({ ...member, value: asTexts(member.value) })) }
}
