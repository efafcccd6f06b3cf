/** The rules of permissions: showing, writing, explaining and testing them. */
import {
  type Agents,
  Chats,
  PermissionReport,
  PersonRegistry,
  SeenRegistries,
  type WorkspaceTools
} from "@boocode/chat"
import { Hash } from "@boocode/mcp-client/Text"
import { EditedFile } from "@boocode/mcp-config"
import { type McpError, McpRegistries } from "@boocode/mcp-registry"
import { type PermissionContent, Permissions, PermissionText } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Access } from "../access/Access.ts"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import { FileConflict } from "../entries/AddServer.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "permissions",
  Effect.fnUntraced(function*(handlers) {
    const { isOpen } = yield* Access
    const permissions = yield* Permissions
    const chats = yield* Chats
    const managed = yield* SeenRegistries.ManagedRegistries
    /** An admin manages every server, also one that is for others. */
    const managing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.provideService(PersonRegistry.mine(effect), McpRegistries, managed)
    const services = yield* Effect.context<
      Agents | FileSystem.FileSystem | McpRegistries | Path.Path | WorkspaceTools
    >()

    const look = Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { file, ...rest } = yield* PermissionReport.listDocument(yield* permissions.contents, permissions.file)
      const text = yield* Effect.orElseSucceed(fs.readFileString(permissions.file), () => null)
      return { file, text, seen: seenOf(text ?? ""), ...rest }
    })

    const write = Effect.fnUntraced(function*({ force = false, seen, text }: Change) {
      const contents = yield* permissions.contents
      const name = nameOf(contents, permissions.file)
      const next = PermissionText.read(text, name, "user")
      const [problem] = next.problems
      if (problem !== undefined) {
        return yield* Effect.fail(Problems.wrongPermissions({ ...problem, failed: [] }, problem))
      }
      if (!isOpen && hooksOf(next) !== hooksOf(contents.find(isOwn))) return yield* Effect.fail(HOOKS)
      const tested = [next, ...contents.filter((content) => !isOwn(content))]
      const { failed } = yield* PermissionReport.examples(tested)
      if (failed.length > 0 && !force) return yield* Effect.fail(failedExamples(failed))
      const change: EditedFile.Change<FileConflict> = (before) =>
        seen === undefined || seen === seenOf(before) ? Result.succeed(text) : Result.fail(changedMeanwhile(name))
      yield* Effect.mapError(
        EditedFile.edit({ path: permissions.file, name }, change),
        (error) =>
          error._tag === "FileConflict"
            ? Problems.conflict(error.state, error)
            : Problems.notChanged({ _tag: error._tag, hint: error.hint, message: error.message })
      )
      yield* permissions.reload
      return yield* look
    })

    const explain = Effect.fnUntraced(function*({ agent = null, args, chat = null, tool }: Asked) {
      const place = chat === null ? null : yield* Effect.mapError(chats.get(chat), Problems.fromKnownChat)
      return yield* Effect.mapError(
        PermissionReport.explainDocument({ tool, args, agent, chat: place }),
        (error) =>
          error._tag === "UnknownAgent"
            ? Problems.notFound(error)
            : error.reason._tag === "UnknownTool"
            ? Problems.notFound({ ...told(error), nearest: error.reason.nearest })
            : Problems.forbidden(told(error))
      )
    })

    const test = Effect.flatMap(permissions.contents, PermissionReport.testDocument)

    return handlers.handleAll({
      list: () => Effect.provideContext(managing(look), services),
      write: ({ payload }) => Effect.provideContext(managing(write(payload)), services),
      explain: ({ payload }) => Effect.provideContext(PersonRegistry.mine(explain(payload)), services),
      test: () => Effect.provideContext(managing(test), services)
    })
  })
)

interface Change {
  readonly text: string
  readonly force?: boolean
  /** `seen` of the list; null for a file that was not there. */
  readonly seen?: string | null
}

/** An empty file says as little as one that is not there. */
const seenOf = (text: string): string | null => text === "" ? null : Hash.short(text)

const changedMeanwhile = (name: string) =>
  new FileConflict({
    state: "changed",
    message: `${name} was changed meanwhile`,
    hint: "load it anew; nothing was written"
  })

interface Asked extends Pick<PermissionReport.Question, "args" | "tool"> {
  readonly agent?: string | null | undefined
  readonly chat?: string | null | undefined
}

const told = ({ hint, message, reason }: McpError) => ({ _tag: reason._tag, message, hint })

const isOwn = ({ owner }: PermissionContent): boolean => owner === "user"

const nameOf = (contents: ReadonlyArray<PermissionContent>, file: string): string => contents.find(isOwn)?.file ?? file

const hooksOf = (content: PermissionContent | undefined): string =>
  JSON.stringify((content?.hooks ?? []).map(({ command }) => command))

const HOOKS = Problems.forbidden({
  _tag: "HooksOfTheFile",
  message: "hooks start programs, so they are not changed over the network",
  hint: "change them in the file itself"
})

const failedExamples = (failed: PermissionReport.ExampleReport["failed"]) =>
  Problems.wrongPermissions({ line: null, column: null, key: "examples", failed }, {
    _tag: "ExamplesFailed",
    message: failed.length === 1 ? "an example fails" : `${failed.length} examples fail`,
    hint: "correct the rules or the examples, or send force"
  })
