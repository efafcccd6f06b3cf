/** Native servers in the words of another application: as a new file, or within one that is there. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ServerEntry } from "../model/ServerEntry.ts"
import * as ConfigShape from "../shapes/ConfigShape.ts"
import type { Encoded, Loss, Shape, ShapeName } from "../shapes/Shape.ts"
import type * as ConfigText from "../text/ConfigText.ts"
import { byKey, type Fault, type JsonNode, type Member, toValue } from "../text/JsonNode.ts"
import * as Nodes from "../text/Nodes.ts"
import * as ShapeText from "./ShapeText.ts"

/** The outcome for one server. */
export interface Outgoing {
  readonly name: string
  /** `changed` is one that is there and says something else; `skipped` one that the application cannot have. */
  readonly outcome: "added" | "changed" | "unchanged" | "skipped"
  /** False for a changed one that was not to be replaced, an unchanged and a skipped one. */
  readonly isWritten: boolean
  readonly losses: ReadonlyArray<Loss>
}

/** A text to write, and what it holds. */
export interface Written {
  readonly text: string
  readonly servers: ReadonlyArray<Outgoing>
}

/** Says each entry in the words of an application, sorted by name. An entry that cannot be used is left out. */
export const encode = (entries: ReadonlyArray<ServerEntry>, shape: ShapeName): ReadonlyArray<Encoded> =>
  entries
    .toSorted((a, b) => a.name < b.name ? -1 : 1)
    .map((entry) =>
      Result.match(entry.declaration, {
        onSuccess: (declaration) => ConfigShape.named(shape).encode({ ...entry, declaration }),
        onFailure: ([{ detail, key }]) => ({
          name: entry.name,
          value: null,
          losses: [{ keys: [], detail: `the entry cannot be used: ${key}: ${detail}` }]
        })
      })
    )

/** Changes texts of an application's files. */
export interface Writer {
  /**
   * Adds servers to the text of a file that is there; an empty text is a new file. Everything else stays as it is
   * written, comments too. Fails when the text is not the application's, or cannot be changed without harm.
   */
  readonly into: (
    text: string,
    encoded: ReadonlyArray<Encoded>,
    options: { readonly isReplacing: boolean }
  ) => Result.Result<Written, Fault>
}

/** Gives what writes an application's files. */
export const writer = Effect.fnUntraced(function*(name: ShapeName) {
  const shape = ConfigShape.named(name)
  const language = yield* ShapeText.language(shape.format)
  return { into: (text, encoded, options) => into(shape, language, { text, encoded, ...options }) } satisfies Writer
})

interface Asked {
  readonly text: string
  readonly encoded: ReadonlyArray<Encoded>
  readonly isReplacing: boolean
}

type Members = ReadonlyArray<readonly [string, Schema.JsonObject]>

const into = (shape: Shape, language: ShapeText.Language, asked: Asked): Result.Result<Written, Fault> => {
  const isNew = asked.text.trim() === ""
  const before = isNew ? Result.succeed(NOTHING) : language.read(asked.text)
  if (Result.isFailure(before)) return Result.fail(before.failure)
  if (!isHome(before.success, shape)) return Result.fail(elsewhere(before.success, shape))
  const there = byKey(Nodes.objectAt(before.success, shape.path)?.members ?? [])
  const servers = asked.encoded.map((one) => outgoing(one, there.get(one.name), asked.isReplacing))
  const members = asked.encoded.flatMap(({ name, value }, index) =>
    value === null || servers[index]?.isWritten !== true ? [] : [[name, value] as const]
  )
  const [key] = shape.path
  const isKept = !isNew && members.length === 0
  const whole = () => language.print({ [key]: Object.fromEntries(members) })
  const text = isKept ? asked.text : isNew ? whole() : language.set(asked.text, [key], members)
  const isSound = text !== null && holds(language.read(text), shape, before.success, members)
  return isSound ? Result.succeed({ text, servers }) : Result.fail(UNSOUND)
}

const NOTHING: JsonNode = { type: "object", members: [], at: { line: 1, column: 1 } }

const UNSOUND: Fault = {
  line: 1,
  column: 1,
  detail: "the servers cannot be added to this text without changing something else; add them by hand"
}

/** opencode's second form is read, and not written. */
const isHome = (root: JsonNode, { path }: Shape): boolean => ShapeText.homeOf(root, path)?.length === path.length

const elsewhere = (root: JsonNode, { path, title }: Shape): Fault => ({
  ...root.at,
  detail: `this is not a file of ${title} with its servers under "${path.join(".")}"`
})

const outgoing = (one: Encoded, old: Member | undefined, isReplacing: boolean): Outgoing => {
  const { losses, name, value } = one
  if (value === null) return { name, outcome: "skipped", isWritten: false, losses }
  if (old === undefined) return { name, outcome: "added", isWritten: true, losses }
  const isSame = Equal.equals(toValue(old.value), value)
  return { name, outcome: isSame ? "unchanged" : "changed", isWritten: !isSame && isReplacing, losses }
}

/** Reads the changed text again: it must hold the written servers, and everything else as before. */
const holds = (
  after: ReturnType<ConfigText.Reader>,
  shape: Shape,
  before: JsonNode,
  members: Members
): boolean => {
  if (Result.isFailure(after)) return false
  const wanted = new Map([...valuesOf(Nodes.objectAt(before, shape.path)), ...members])
  const got = new Map(valuesOf(Nodes.objectAt(after.success, shape.path)))
  const rest = (root: JsonNode) => valuesOf(root).filter(([key]) => key !== shape.path[0])
  return Equal.equals(sorted(wanted), sorted(got)) && Equal.equals(rest(before), rest(after.success))
}

const valuesOf = (node: JsonNode | null): ReadonlyArray<readonly [string, Schema.Json]> =>
  node?.type === "object" ? node.members.map(({ key, value }) => [key, toValue(value)] as const) : []

const sorted = (values: ReadonlyMap<string, Schema.Json>) => [...values].toSorted(([a], [b]) => a < b ? -1 : 1)
