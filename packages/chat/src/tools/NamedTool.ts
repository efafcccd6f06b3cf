/** The names of built-in tools. */
import { IndirectCall, SearchTools } from "@boocode/toolkit"
import { ExecuteTool } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"
import * as ResourceAccess from "./ResourceAccess.ts"
import * as ResourceTools from "./ResourceTools.ts"
import { WorkspaceTools } from "./WorkspaceTools.ts"

/** Names that patterns may hold and no server has, those of the resources of servers included. */
export const builtIn = Effect.gen(function*() {
  const { tools, writers } = yield* WorkspaceTools
  const resources = yield* ResourceAccess.all
  return [
    ...[...tools, ...writers].map(({ name }) => name),
    SearchTools.SEARCH,
    SearchTools.DESCRIBE,
    IndirectCall.CALL,
    ExecuteTool.EXECUTE,
    ...ResourceTools.NAMES,
    ...resources.map(({ name }) => name)
  ]
})
