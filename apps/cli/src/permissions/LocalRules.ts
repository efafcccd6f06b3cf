/** The rules of this person's files, over servers that this command starts. */
import {
  type Agents,
  Chats,
  CurrentUser,
  FIRST,
  PermissionReport,
  UnknownAgent,
  type WorkspaceTools
} from "@boocode/chat"
import { McpRegistry } from "@boocode/mcp-registry"
import { Permissions, type PermissionText } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { Backend } from "../backend/Backend.ts"
import { ownersOf } from "../backend/Servers.ts"
import { connectedChats, place } from "../backend/VerbContext.ts"
import { missingLines } from "../lines/ServerLines.ts"
import type { Options } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { failed } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { waiting } from "../terminal/Waiting.ts"
import { RuleSource } from "./RuleSource.ts"

type Contents = ReadonlyArray<PermissionText.PermissionContent>

/** Runs with the rules of the files. Starts the servers of these tools, all for null. */
export const provided = <A, E, R>(
  options: Options,
  toolsOf: (contents: Contents) => ReadonlyArray<string> | null,
  use: Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const where = yield* place(options)
    const backend = yield* Backend
    const over = Effect.gen(function*() {
      const tools = toolsOf(yield* Permissions.use(({ contents }) => contents))
      const ruled = Effect.provide(use, layer(tools))
      return yield* connectedChats(options, ruled, (names) => chosen(tools, names))
    })
    return yield* Effect.provide(over, backend.permissions(where))
  })

const chosen = (tools: ReadonlyArray<string> | null, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  tools === null ? names : [...new Set(tools.flatMap((tool) => ownersOf(tool, names) ?? names))]

type Around =
  | Agents
  | Chats
  | CurrentUser
  | FileSystem.FileSystem
  | McpRegistry
  | Output
  | Path.Path
  | Permissions
  | WorkspaceTools

const layer = (tools: ReadonlyArray<string> | null) =>
  Layer.effect(
    RuleSource,
    Effect.gen(function*() {
      const context = Context.add(yield* Effect.context<Exclude<Around, CurrentUser>>(), CurrentUser, FIRST)
      const permissions = yield* Permissions
      const chats = yield* Chats
      const registry = yield* McpRegistry
      const settled = Effect.gen(function*() {
        const names = chosen(tools, (yield* registry.servers).map(({ name }) => name))
        const each = Effect.forEach(names, registry.settledServer, { concurrency: "unbounded", discard: true })
        yield* waiting(tools === null ? Effect.asVoid(registry.settled) : each, registry.servers, names)
      })

      const list = Effect.gen(function*() {
        yield* settled
        const found = yield* PermissionReport.listDocument(yield* permissions.contents, permissions.file)
        if (tools === null) {
          const servers = yield* registry.servers
          yield* Output.use(({ notePaint, notes }) => notes(missingLines(servers, notePaint)))
        }
        return found
      })

      const explain = Effect.fnUntraced(function*(asked: Parameters<RuleSource["Service"]["explain"]>[0]) {
        yield* settled
        const chat = asked.chat === null ? null : yield* chats.get(asked.chat)
        return yield* PermissionReport.explainDocument({ ...asked, chat })
      })

      const test = Effect.gen(function*() {
        yield* settled
        return yield* PermissionReport.testDocument(yield* permissions.contents)
      })

      const hinted = <A, E extends Parameters<typeof failed>[0]>(asked: Effect.Effect<A, E, Around>) =>
        Effect.catch(
          asked,
          (error) => error instanceof UnknownAgent ? ErrorHints.unknownAgent(error) : Effect.fail(failed(error))
        ).pipe(Effect.provideContext(context))

      return RuleSource.of({
        list: hinted(list),
        explain: (asked) => hinted(explain(asked)),
        test: hinted(test)
      })
    })
  )
