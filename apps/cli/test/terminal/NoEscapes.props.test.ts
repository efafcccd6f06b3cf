import type { Part } from "@boocode/chat"
import { ResultFiles, ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../../../../packages/chat/src/history/History.ts"
import { scrubber } from "../../../../packages/mcp-client/src/base/Redaction.ts"
import { config, stdio } from "../../../../packages/mcp-client/test/support/ServerConfigs.ts"
import * as SentResult from "../../../../packages/mcp-gateway/src/calls/SentResult.ts"
import { cleanResultOf } from "../../../../packages/mcp-registry/src/calls/ServerCall.ts"
import { partLines } from "../../src/chat/ChatLines.ts"
import { NONE } from "../../src/terminal/Output.ts"

/** Any text, with every control character, alone and in sequences. */
const Text = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.all([
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x9f }))),
      Arbitrary.schema(Schema.Literals(["", "[31m", "[38;5;9m", "]0;title\u0007", "[2J", "m", "\u001B["])),
      Arbitrary.schema(Schema.String)
    ]),
    { maxLength: 12 }
  ),
  (pieces) => pieces.map(([code, sequence, text]) => `${String.fromCharCode(code)}${sequence}${text}`).join("")
)

const tool = { server: "s", tool: "t", isTrusted: true, maxResultBytes: 2000 }
const files = ResultFiles.of({
  write: () => Effect.succeed("result-1"),
  keep: () => Effect.succeed(null),
  read: () => Effect.die("nothing is read"),
  bytes: () => Effect.succeed(null)
})
const scrub = scrubber(config({ transport: stdio({}) }))

/** Every text and key in a value. */
const textsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one)])
    : []

const noControls = (where: string, value: unknown) => {
  for (const text of textsIn(value)) assert.notMatch(text.replaceAll(/[\t\n]/g, ""), /\p{Cc}/u, where)
}

describe("escapes of a server", () => {
  it.effect.prop(
    "reach no model, no terminal, no client of the gateway and no log, whatever a server sends; their colours stand beside the text",
    [Text, Text, Schema.Boolean],
    ([one, other, isError]) =>
      Effect.gen(function*() {
        const content = [{ type: "text", text: one }, { type: "text", text: `\u001B[1;35m${other}` }]
        const clean = { ...cleanResultOf({ content, structuredContent: { [one]: other }, isError }, scrub), millis: 1 }
        const result = yield* ToolResult.fromCall(tool, clean)
        const { isError: failed, millis, origin, styles = [], text, truncated } = result
        const part: Extract<Part, { type: "tool-result" }> = {
          type: "tool-result",
          seq: 1,
          turn: 1,
          id: "c",
          isError: failed,
          text,
          content: result.content,
          truncated,
          origin,
          millis,
          styles
        }
        noControls("result", result)
        noControls("model", yield* History.resultPart({ id: "c", name: "s_t" }, part))
        noControls("gateway", SentResult.make(clean, "both"))
        noControls("terminal", partLines(part, () => "s_t", NONE))
        noControls("log", scrub(one))
        for (const { from, to } of styles) assert.isTrue(from >= 0 && from < to && to <= text.length)
      }).pipe(Effect.provideService(ResultFiles, files)),
    { arbitrary: { runs: 200 } }
  )
})
