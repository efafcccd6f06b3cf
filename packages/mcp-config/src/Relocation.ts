/**
 * Paths of an entry that moves from one file to another: those that are relative start from another folder there.
 */
import type { JsonNode, Member } from "./JsonNode.ts"
import * as RelativePath from "./RelativePath.ts"
import { byKey, type ObjectNode } from "./shapes/EntryReader.ts"
import * as Nodes from "./shapes/Nodes.ts"
import type { Note } from "./shapes/Shape.ts"

/**
 * Where relative paths start from: the folder of the new file too, a folder, or nobody can tell.
 *
 * @category models
 */
export type Start = "same" | "unknown" | { readonly folder: string }

/** An entry in its new place, and what that changed. */
export interface Placed {
  readonly member: Member
  readonly notes: ReadonlyArray<Note>
}

/** Writes relative paths of an entry so that they lead where they led; where nobody can tell where, that is noted. */
export const place = (member: Member, start: Start): Placed => {
  const { value } = member
  if (value.type !== "object" || start === "same") return { member, notes: [] }
  return start === "unknown" ? lost(member, value) : moved(member, value, start.folder)
}

const PATHS = ["cwd", "envFile"]

/** Keys whose value starts from the folder of the file. */
const relativeKeys = (value: ObjectNode): ReadonlyArray<Member> =>
  value.members.filter(({ key, value }) =>
    (PATHS.includes(key) && isRelative(value)) ||
    (key === "roots" && (value.type === "array" ? value.items.some(isRelative) : isRelative(value)))
  )

const isRelative = (node: JsonNode): boolean => node.type === "string" && RelativePath.isRelative(node.value)

const nearKeys = ({ members }: ObjectNode): ReadonlyArray<Member> => {
  const isNear = (node: JsonNode) => node.type === "string" && RelativePath.isNear(node.value)
  return members.filter(({ key, value }) =>
    key === "command" && isNear(value) || key === "args" && value.type === "array" && value.items.some(isNear)
  )
}

/** A command line for a shell is not changed: who knows where in it a path stands. */
const helperNotes = (member: Member, value: ObjectNode): ReadonlyArray<Note> => {
  const helper = byKey(value.members).get("headersHelper")
  const text = helper?.value.type === "string" ? helper.value.value : ""
  const detail = "runs in the folder of the file here; write the whole path of the program"
  return helper !== undefined && RelativePath.isNear(text) ? [note(member, helper, detail, true)] : []
}

const lost = (member: Member, value: ObjectNode): Placed => {
  const keys = byKey(value.members)
  const near = keys.has("cwd") ? [] : nearKeys(value)
  const detail = "a relative path starts from the folder of the file here, and where it started there cannot be told"
  const notes = [...relativeKeys(value), ...near].map((one) => note(member, one, detail, true))
  return { member, notes: [...notes, ...helperNotes(member, value)] }
}

const moved = (member: Member, value: ObjectNode, folder: string): Placed => {
  const needsFolder = !byKey(value.members).has("cwd") && nearKeys(value).length > 0
  const changed = [
    ...relativeKeys(value).map((one) => ({ ...one, value: absolute(one.value, folder) })),
    ...(needsFolder ? [{ key: "cwd", at: member.at, value: Nodes.text(RelativePath.escaped(folder), member.at) }] : [])
  ]
  const kept = value.members.filter(({ key }) => !changed.some((one) => one.key === key))
  const notes = changed.map((one) =>
    note(member, one, `${one.key} is written as an absolute path, since the file stands in ${folder}`, false)
  )
  const placed: ObjectNode = { ...value, members: [...kept, ...changed] }
  return { member: { ...member, value: placed }, notes: [...notes, ...helperNotes(member, value)] }
}

const note = (
  server: Member,
  { at, key, path = `${server.path ?? server.key}.${key}` }: Member,
  detail: string,
  matters: boolean
): Note => ({
  server: server.key,
  at,
  key: path,
  detail,
  matters
})

const absolute = (node: JsonNode, folder: string): JsonNode => {
  if (node.type === "array") {
    return { ...node, items: node.items.map((item) => isRelative(item) ? absolute(item, folder) : item) }
  }
  const text = node.type === "string" ? node.value : ""
  return Nodes.text(RelativePath.below(RelativePath.escaped(folder), text), node.at)
}
