/**
 * Tools of servers that write to what another tool of the same server reads, such as files: what was there is shown
 * before the call, and kept after it, so that a tool of the server can write it back.
 */
import type { WriteTarget } from "@boocode/mcp-config"
import { type CallResult, CleanText, McpError, McpErrors, type McpRegistry } from "@boocode/mcp-registry"
import { type AgentTool, PermissionTable, type RunOptions, ToolArguments, type WriteUndo } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { ChangedSince, type UndoError, UndoFailed } from "../store/UndoError.ts"
import type { ChangeOf, UndoStore } from "../store/UndoStore.ts"
import type { MadeFiles } from "./MadeFiles.ts"
import type * as ServerFolders from "./ServerFolders.ts"

/**
 * Calls a tool of one server by its raw name, and asks nobody: a person let the write be made, or undoes it. Texts of the
 * result are to the letter what the server wrote.
 */
export type CallTool = (tool: string, args: Schema.JsonObject) => Effect.Effect<CallResult, McpError>

/** The calls of a server through this registry; without `writes` only those of tools that do not write. */
export const callsOf =
  (registry: McpRegistry["Service"], writes = true) => (server: string): CallTool => (tool, args) =>
    Effect.gen(function*() {
      const all = writes ? [...yield* registry.tools, ...yield* registry.writers] : yield* registry.tools
      const found = all.find((one) =>
        one.server === server && one.tool === tool && (writes || !PermissionTable.isWriter(one.class))
      )
      return yield* found === undefined
        ? new McpError({ server, reason: new McpErrors.UnknownTool({ name: tool, nearest: [] }) })
        : registry.callTool(found, args, { writes, asWritten: true })
    })

/** The services that a target needs. */
export interface TargetOptions {
  /** Before a person's yes it must call nothing that writes. */
  readonly call: CallTool
  readonly store: UndoStore["Service"]
}

/**
 * The tool, with `before` to show the content that a call would replace. A call of it reads the target before and
 * after: the old content is kept for undo where it was text that the call changed. If the call made the file, undo
 * moves it into the bin. Where it cannot be kept, `onWrite` says why.
 */
export const targeted = (
  tool: AgentTool,
  target: ServerFolders.Target,
  { call, made, store }: TargetOptions & { readonly made: MadeFiles }
): AgentTool => {
  const { server } = tool
  if (server === null) return tool

  /** The undo of a call that changed one text into the other; null for a call that changed nothing. */
  const undoOf = Effect.fnUntraced(
    function*(value: Schema.Json, before: string | null, after: string | null): Effect.fn.Return<WriteUndo | null> {
      if (before === after && before !== null) return null
      if (before === null) return lost(NOTHING_BEFORE)
      if (after === null) return lost(NOTHING_AFTER)
      if (target.write === undefined) return lost(NO_WRITER)
      const { content = "content", path, read, write } = target
      const left = yield* store.hash(encoder.encode(after))
      return yield* store.keep(
        { kind: "server", server, read, write, path, value, content, left },
        encoder.encode(before)
      )
    }
  )

  const run = Effect.fnUntraced(function*(args: Schema.JsonObject, value: Schema.Json, options: RunOptions) {
    const before = yield* textAt(call, target, value)
    const vacant = before === null ? yield* made.vacant(target, value) : []
    const result = yield* tool.run(args, options)
    const after = yield* textAt(call, target, value)
    const file = yield* made.keep(server, vacant)
    // An error over something that cannot be read tells nothing of a change.
    const undo = file ?? (result.isError && before === null ? null : yield* undoOf(value, before, after))
    if (undo !== null && options.onWrite !== undefined) yield* options.onWrite(undo)
    return result
  })

  return {
    ...tool,
    before: (args) =>
      Effect.map(
        textAt(call, target, args[target.path]),
        (text) => text === null || text.length > SHOWN_CHARACTERS ? null : CleanText.clean(text)
      ),
    run: (given, options = {}) =>
      Effect.matchEffect(ToolArguments.usable(tool, given), {
        onFailure: () => tool.run(given, options),
        onSuccess: (args) => {
          const value = args[target.path]
          return value === undefined ? tool.run(args, options) : store.inTurn(server)(run(args, value, options))
        }
      })
  }
}

/**
 * Writes back what was there before, where the target still holds what the write left, and reads it once more to be sure.
 * Gives words for a person.
 */
export const undo = Effect.fn("ServerTarget.undo")(function*(
  change: ChangeOf<"server">,
  before: Uint8Array,
  { call, store }: TargetOptions
): Effect.fn.Return<string, UndoError> {
  const { content, path, server, value, write } = change
  const name = `${typeof value === "string" ? value : JSON.stringify(value)} of ${server}`
  const now = yield* textAt(call, change, value)
  if (now === null) return yield* new ChangedSince({ name, found: "cannot be read now, so nobody knows what is there" })
  if ((yield* store.hash(encoder.encode(now))) !== change.left) {
    return yield* new ChangedSince({ name, found: "was changed since" })
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(before)
  const result = yield* Effect.mapError(
    call(write, { [path]: value, [content]: text }),
    ({ message }) => new UndoFailed({ why: message })
  )
  if (result.isError) return yield* new UndoFailed({ why: `${write} of ${server} answered with an error` })
  if ((yield* textAt(call, change, value)) !== text) {
    return yield* new UndoFailed({ why: `${write} of ${server} did not bring back what was there; look at ${name}` })
  }
  return `${name} is as it was before`
})

/** A server that is slow to read must not hold up the write for long. */
const PATIENCE = "10 seconds"
const SHOWN_CHARACTERS = 64_000

/** The one text that is there; null where there is none, or it is not to be had as it is. */
const textAt = (
  call: CallTool,
  { path, read }: Pick<WriteTarget, "path" | "read">,
  value: Schema.Json | undefined
): Effect.Effect<string | null> =>
  value === undefined ? Effect.succeed(null) : call(read, { [path]: value }).pipe(
    Effect.map(({ content, isError }) => isError ? null : onlyText(content)),
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed(null) }),
    Effect.orElseSucceed(() => null)
  )

/** U+FFFD stands for bytes that were no text: written back, they would not be what they were. Nor would half a pair. */
const onlyText = (content: CallResult["content"]): string | null => {
  const [block, ...others] = content
  if (others.length > 0 || block?.["type"] !== "text" || typeof block["text"] !== "string") return null
  return block["text"].includes("\uFFFD") || !block["text"].isWellFormed() ? null : block["text"]
}

const encoder = new TextEncoder()

const NOTHING_BEFORE = "there was no text before that could be read, and no tool of the server takes away what it made"
const NOTHING_AFTER = "what the call left could not be read"
const NO_WRITER = "\"targets\" of the server's entry names no tool that writes it back"

const lost = (why: string): WriteUndo => ({ id: null, possible: false, why })
