/** The writing tools over a disk in memory, and what they tell of undoing. */
import type { AgentTool, WriteUndo } from "@boocode/toolkit"
import { ResultFiles } from "@boocode/toolkit"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Undo from "../../src/journal/Undo.ts"
import { UndoStore } from "../../src/store/UndoStore.ts"
import { WorkspaceTools } from "../../src/tools/WorkspaceTools.ts"
import { WorkspaceWrites } from "../../src/workspace/WorkspaceWrites.ts"
import * as MemoryFiles from "./MemoryFiles.ts"

export const WORKSPACE = "/data/workspace"
export const STATE = "/state/undo"

export type Files = Record<string, MemoryFiles.Entry>

/** One run of a program over these files: closing its scope ends it. */
export const layer = (files: Files, hooks: Parameters<typeof MemoryFiles.layer>[1] = {}) =>
  WorkspaceTools.layerWriting(WORKSPACE).pipe(
    Layer.provideMerge(WorkspaceWrites.layer(WORKSPACE)),
    Layer.provideMerge(UndoStore.layer(STATE)),
    Layer.provideMerge(Layer.mergeAll(
      MemoryFiles.layer(files, hooks),
      Path.layer,
      Layer.succeed(ResultFiles, {
        write: () => Effect.succeed(null),
        keep: () => Effect.succeed(null),
        read: () => Effect.succeed(null),
        bytes: () => Effect.succeed(null)
      })
    ))
  )

export const tool = (name: string) =>
  Effect.flatMap(WorkspaceTools, ({ writers }) => {
    const found = writers.find((one) => one.name === name)
    return found === undefined ? Effect.die(`no tool ${name}`) : Effect.succeed<AgentTool>(found)
  })

/** Calls a tool, and gives its answer with what it told of undoing. */
export const call = Effect.fnUntraced(function*(name: string, args: unknown) {
  const told: Array<WriteUndo> = []
  const { isError, text } = yield* (yield* tool(name)).run(args, {
    onWrite: (undo) => Effect.sync(() => void told.push(undo))
  })
  assert.isAtMost(told.length, 1)
  return { isError, text, undo: told[0] ?? null }
})

/** Calls a tool that must succeed, and gives the id to undo it by. */
export const done = Effect.fnUntraced(function*(name: string, args: unknown) {
  const { isError, text, undo } = yield* call(name, args)
  assert.isFalse(isError, text)
  return undo?.id ?? ""
})

export const undo = (id: string) => Undo.undo(id, () => () => Effect.die("no server"), "first")

/** The text at a path of the workspace; null for none. */
export const textAt = (files: Files, path: string): string | null => {
  const entry = files[`${WORKSPACE}/${path}`]
  if (entry instanceof Uint8Array) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(entry)
  return typeof entry === "string" ? entry : null
}

/** What lies in the workspace, by its paths; a folder that holds nothing ends with a slash. */
export const inside = (files: Files): ReadonlyArray<string> =>
  Object.entries(files).filter(([path]) => path.startsWith(`${WORKSPACE}/`)).flatMap(([path, entry]) => {
    const name = path.slice(WORKSPACE.length + 1)
    if (entry !== MemoryFiles.FOLDER) return [name]
    return Object.keys(files).some((other) => other.startsWith(`${path}/`)) ? [] : [`${name}/`]
  }).toSorted()
