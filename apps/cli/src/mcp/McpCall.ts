/** `mcp call`: calls one tool once. An error of the tool itself is printed as its answer, with exit 1. */
import type { ToolResult } from "@boocode/toolkit"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Call, ownersOf, Servers } from "../backend/Servers.ts"
import { served } from "../backend/VerbContext.ts"
import { argsFlag, optional, type Options, targetFlags, textFlag, verb } from "../options/Options.ts"
import { timeFlag } from "../options/TimeFlag.ts"
import * as ToolInput from "../options/ToolInput.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { Ended } from "../terminal/Failure.ts"
import { oneLine, Output, plain } from "../terminal/Output.ts"
import * as OwnYes from "./OwnYes.ts"

export const call = Command.make(
  "call",
  {
    tool: Argument.String("TOOL").pipe(Argument.withDescription("The tool, as `mcp tools` names it")),
    args: argsFlag,
    timeout: optional(timeFlag("timeout", "How long the tool may be silent")),
    allow: Flag.atLeast(
      textFlag("allow", "PATTERN", "Call a tool that writes without asking you, where the patterns allow it"),
      0
    ),
    ...targetFlags
  },
  ({ allow, args: given, timeout, tool, ...target }) =>
    verb((options) =>
      Effect.gen(function*() {
        // Wrong arguments fail before any server is started.
        const args = yield* ToolInput.parsed(tool, given)
        const called = Effect.gen(function*() {
          const servers = yield* Servers
          const owners = ownersOf(tool, (yield* servers.all).map(({ name }) => name))
          if (owners === null || owners.length > 0) yield* servers.settled(owners)
          const called = (isApproved: boolean) =>
            withProgress((onProgress) =>
              servers.call({ tool, args, isApproved, timeout: timeout?.duration ?? null, onProgress })
            )
          const result = yield* OwnYes.needed(called, { tool, args, allow, around: (question) => question })
          // Printed before the servers are stopped.
          yield* print(options, result)
        })
        const chosen = (names: ReadonlyArray<string>) => ownersOf(tool, names) ?? names
        yield* Effect.provide(served(options, target, called, { chosen }), TerminalQuestions.requestsLayer)
      })
    )
).pipe(Command.withDescription("Call one tool and print its answer"))

const toolkit = Effect.promise(() => import("@boocode/toolkit"))

const print = Effect.fnUntraced(function*(options: Options, result: ToolResult.ToolResult) {
  const output = yield* Output
  if (options.json) {
    const { ToolResult } = yield* toolkit
    yield* output.document(Schema.encodeSync(ToolResult.ToolResult)(result))
  } else {
    yield* output.text(result.text.endsWith("\n") ? result.text : `${result.text}\n`)
    yield* output.notes(result.diagnostics.map((line) => plain(`note: ${line}`)))
  }
  if (result.isError) return yield* new Ended({ code: 1 })
})

const WIDTH = 100
/** Goes to the beginning of the line and clears it. */
const CLEAR = "\r\u001b[K"

const withProgress = <A, E, R>(use: (onProgress: Call["onProgress"]) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const { notePaint, notesAreTerminal, prompt } = yield* Output
    if (!notesAreTerminal) return yield* use(null)
    const { CallEvents } = yield* toolkit
    let isShown = false
    const show = yield* CallEvents.throttled((progress) => {
      isShown = true
      return prompt(`${CLEAR}${notePaint.dim(oneLine(CallEvents.progressText(progress), WIDTH))}`)
    })
    return yield* Effect.ensuring(use(show), Effect.suspend(() => isShown ? prompt(CLEAR) : Effect.void))
  }))
