/** The rules of permissions: showing, writing, explaining and testing them. */
import { type Agents, Chats, PermissionReport, ToolApprovals, type WorkspaceTools } from "@boocode/chat"
import { EditedFile } from "@boocode/mcp-config"
import type { McpError, McpRegistry } from "@boocode/mcp-registry"
import { type PermissionContent, PermissionRule, Permissions, PermissionText } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Access } from "../access/Access.ts"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "permissions",
  Effect.fnUntraced(function*(handlers) {
    const { isOpen } = yield* Access
    const approvals = yield* ToolApprovals
    const permissions = yield* Permissions
    const chats = yield* Chats
    const services = yield* Effect.context<
      Agents | FileSystem.FileSystem | McpRegistry | Path.Path | WorkspaceTools
    >()

    const look = Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const contents = yield* permissions.contents
      const rules = yield* PermissionReport.rules
      return {
        file: nameOf(contents, permissions.file),
        text: yield* Effect.orElseSucceed(fs.readFileString(permissions.file), () => null),
        write: Permissions.tableOf(contents).write,
        rules: rules.map(({ problem, rule }) => ({ ...documentOf(rule), problem })),
        grants: yield* approvals.granted,
        problems: problemsOf(contents),
        examples: contents.flatMap(({ examples }) => examples)
      }
    })

    const write = Effect.fnUntraced(function*(text: string, force: boolean) {
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
      yield* EditedFile.edit({ path: permissions.file, name }, () => Result.succeed(text)).pipe(
        Effect.mapError(({ _tag, hint, message }) => Problems.notChanged({ _tag, hint, message }))
      )
      yield* permissions.reload
      return yield* look
    })

    const explain = Effect.fnUntraced(function*({ agent = null, args, chat = null, tool }: Asked) {
      const place = chat === null ? null : yield* Effect.mapError(chats.get(chat), Problems.fromKnownChat)
      const parts = place?.turns.flatMap((turn) => turn.parts) ?? []
      const found = yield* Effect.mapError(
        PermissionReport.explain({ tool, args, agent, chat: place === null ? null : { write: place.write, parts } }),
        (error) =>
          error._tag === "UnknownAgent"
            ? Problems.notFound(error)
            : error.reason._tag === "UnknownTool"
            ? Problems.notFound({ ...told(error), nearest: error.reason.nearest })
            : Problems.forbidden(told(error))
      )
      return {
        outcome: found.outcome,
        rule: found.rule === null ? null : documentOf(found.rule),
        source: found.source,
        why: found.why,
        class: found.class,
        mode: found.mode,
        applies: found.applies.map(documentOf),
        others: found.others.map(({ because, rule }) => ({ rule: documentOf(rule), because }))
      }
    })

    const test = Effect.gen(function*() {
      const contents = yield* permissions.contents
      return { ...yield* PermissionReport.examples(contents), problems: problemsOf(contents) }
    })

    return handlers.handleAll({
      list: () => Effect.provideContext(look, services),
      write: ({ payload }) => Effect.provideContext(write(payload.text, payload.force === true), services),
      explain: ({ payload }) => Effect.provideContext(explain(payload), services),
      test: () => Effect.provideContext(test, services)
    })
  })
)

interface Asked extends Pick<PermissionReport.Question, "args" | "tool"> {
  readonly agent?: string | null | undefined
  readonly chat?: string | null | undefined
}

const told = ({ hint, message, reason }: McpError) => ({ _tag: reason._tag, message, hint })

const isOwn = ({ owner }: PermissionContent): boolean => owner === "user"

const nameOf = (contents: ReadonlyArray<PermissionContent>, file: string): string => contents.find(isOwn)?.file ?? file

const hooksOf = (content: PermissionContent | undefined): string =>
  JSON.stringify((content?.hooks ?? []).map(({ command }) => command))

const documentOf = (rule: PermissionRule.SourcedRule) => ({
  ...PermissionRule.toJson(rule),
  text: PermissionRule.describe(rule)
})

const problemsOf = (contents: ReadonlyArray<PermissionContent>) =>
  contents.flatMap(({ problems }) =>
    problems.map(({ column, file, hint, key, line, message }) => ({ file, line, column, key, message, hint }))
  )

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
