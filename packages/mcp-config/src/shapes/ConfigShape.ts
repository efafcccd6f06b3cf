/** Which application's shape a file has, and what it says, in the native words. */
import * as Result from "effect/Result"
import * as NativeEntry from "../entry/NativeEntry.ts"
import type { Remark, ServerEntry, ShapeContent } from "../model/ServerEntry.ts"
import { type Fault, type JsonNode, START } from "../text/JsonNode.ts"
import * as Claude from "./Claude.ts"
import * as Codex from "./Codex.ts"
import * as Editors from "./Editors.ts"
import * as Gemini from "./Gemini.ts"
import * as Goose from "./Goose.ts"
import * as NativeShape from "./NativeShape.ts"
import * as OneMcp from "./OneMcp.ts"
import * as Opencode from "./Opencode.ts"
import * as Recognition from "./Recognition.ts"
import { type Context, type Found, NAMES, type Note, type Shape, type ShapeName } from "./Shape.ts"

export type { Context, Encoded, Found, Note, Shape, ShapeName, Writable } from "./Shape.ts"

/** The names of all shapes, `native` first. */
export const names: ReadonlyArray<ShapeName> = NAMES

const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  native: NativeShape.shape,
  opencode: Opencode.shape,
  claude: Claude.shape,
  cursor: Editors.shape,
  vscode: Editors.vscodeShape,
  gemini: Gemini.shape,
  codex: Codex.shape,
  kode: Claude.kodeShape,
  cline: Editors.clineShape,
  roo: Editors.rooShape,
  "1mcp": OneMcp.shape,
  goose: Goose.shape,
  windsurf: Editors.windsurfShape,
  zed: Editors.zedShape
}

/** The shape of a name. */
export const named = (name: ShapeName): Shape => SHAPES[name]

/** Tells the shape of a file: the one of which it has keys that no other has, else native. */
export const detect = (root: JsonNode, isBare = false): ShapeName => Recognition.shapeOf(root, isBare)

/**
 * Finds the servers of a file as native entries, not yet looked into. Fails when the top level is not what the shape
 * asks for.
 */
export const find = (root: JsonNode, shape: ShapeName, context: Context): Result.Result<Found, Fault> =>
  Result.map(named(shape).decode(root, context), (found) => ({ ...found, notes: found.notes.toSorted(byPlace) }))

/** Skips the servers of these names, each with a note. */
export const without = (found: Found, isOut: (name: string) => boolean, detail: string): Found => {
  const out = found.servers.filter(({ key }) => isOut(key))
  const notes = out.map(({ at, key, path = key }) => ({ server: key, at, key: path, matters: true, detail }))
  return {
    servers: found.servers.filter(({ key }) => !isOut(key)),
    notes: [...found.notes.filter(({ server }) => server === null || !isOut(server)), ...notes],
    skipped: [...found.skipped, ...out.map(({ key }) => key)]
  }
}

const byPlace = (a: Note, b: Note): number => a.at.line - b.at.line || a.at.column - b.at.column

/**
 * Reads a file of a shape: its entries, and what is worth saying. Fails when the top level is not what the shape asks
 * for.
 */
export const decode = (root: JsonNode, shape: ShapeName, context: Context): Result.Result<ShapeContent, Fault> =>
  shape === "native"
    ? NativeEntry.decode(root, { bare: context.isBare })
    : Result.map(find(root, shape, context), contentOf)

/** The entries of what was found. */
export const contentOf = ({ notes, servers }: Found): ShapeContent => {
  const content = NativeEntry.decodeServers({ type: "object", members: servers, at: START })
  const spoken = notes.filter((note) => note.matters)
  const known = new Set(content.entries.map((entry) => entry.name))
  const byServer = Map.groupBy(spoken, ({ server }) => server)
  return {
    entries: content.entries.map((entry) => withNotes(entry, byServer.get(entry.name) ?? [])),
    remarks: spoken.filter(({ server }) => server === null || !known.has(server)).map(remark)
  }
}

const withNotes = (entry: ServerEntry, notes: ReadonlyArray<Note>): ServerEntry => ({
  ...entry,
  remarks: [...entry.remarks, ...notes.map(remark)]
})

const remark = ({ at, detail, key }: Note): Remark => ({ at, key, detail })
