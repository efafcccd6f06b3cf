/** `mcp get`: one entry as it was understood. Starts nothing. */
import { type Configuration, McpConfig, Nearest } from "@boocode/mcp-config"
import { McpErrors } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as ApprovalStatus from "../backend/ApprovalStatus.ts"
import { configured, place } from "../backend/Connected.ts"
import { type EntryDocument, entryDocument } from "../edit/EntryDocument.ts"
import type { Options } from "../options/Options.ts"
import type { Place } from "../options/Place.ts"
import { failed } from "../terminal/Failure.ts"
import { oneLine, Output, pad, type Paint } from "../terminal/Output.ts"

export const get = Effect.fnUntraced(function*(options: Options, name: string) {
  const where = yield* place(options)
  yield* configured(where, shown(options, where, name))
})

const shown = Effect.fnUntraced(function*(options: Options, where: Place, name: string) {
  const output = yield* Output
  const configuration = yield* (yield* McpConfig).current
  const server = configuration.servers.find((one) => one.name === name)
  if (server === undefined) return yield* failed(unknown(name, configuration))
  const document = entryDocument(server, configuration, yield* ApprovalStatus.now(where, server))
  yield* options.json ? output.document(document) : output.lines(entryLines(document, output.paint))
})

const unknown = (name: string, configuration: Configuration) =>
  new McpErrors.UnknownServer({ name, nearest: Nearest.nearest(name, configuration.servers.map((one) => one.name)) })

const KEY_WIDTH = 23

const entryLines = (document: EntryDocument, paint: Paint): ReadonlyArray<string> => [
  `${paint.bold(oneLine(document.name))}  ${document.transport ?? "unknown transport"}${stateOf(document)}`,
  line("source", document.source + (document.scope === null ? "" : ` (${document.scope})`)),
  ...document.hides.map((file) => line("hides", file)),
  ...Object.entries(document.entry ?? {}).flatMap(([key, value]) => value === null ? [] : [line(key, written(value))]),
  ...document.warnings.map((warning) => `  ${paint.careful(pad("warning", KEY_WIDTH))}${oneLine(warning, 400)}`),
  ...(document.error === null ? [] : [
    `  ${paint.bad(pad("error", KEY_WIDTH))}${oneLine(document.error.message, 400)}`,
    line("", document.error.hint)
  ])
]

const stateOf = ({ approval, enabled, needsApproval }: EntryDocument): string => {
  if (!enabled) return "  disabled"
  if (approval === null) return needsApproval ? "  needs approval" : ""
  const { by, changed, decision } = approval
  if (decision === "pending") {
    const since = changed.length === 0 ? "" : `: ${oneLine(changed.join(", "), 400)} changed since it was decided on`
    return `  needs approval${since}`
  }
  return `  ${decision}${
    by === "once" ? ", for this run" : by === "publisher" ? ", because its publisher is trusted" : ""
  }`
}

const line = (key: string, value: string): string => `  ${pad(key, KEY_WIDTH)}${oneLine(value, 400)}`

const written = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)
