/** `mcp get`: one entry as it was understood. Starts nothing. */
import { McpConfig } from "@boocode/mcp-config"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as ApprovalStatus from "../backend/ApprovalStatus.ts"
import { configured, place } from "../backend/VerbContext.ts"
import { type EntryDocument, entryDocument } from "../edit/EntryDocument.ts"
import { serverName, verb } from "../options/Options.ts"
import * as ErrorHints from "../terminal/ErrorHints.ts"
import { oneLine, Output, pad, type Paint } from "../terminal/Output.ts"

export const get = Command.make("get", { name: serverName }, ({ name }) =>
  verb(Effect.fnUntraced(function*(options) {
    const where = yield* place(options)
    yield* configured(
      where,
      Effect.gen(function*() {
        const { document, lines, paint } = yield* Output
        const configuration = yield* (yield* McpConfig).current
        const { servers } = configuration
        const server = servers.find((one) => one.name === name)
        if (server === undefined) return yield* ErrorHints.unknownServer(name, servers.map((one) => one.name))
        const entry = entryDocument(server, configuration, yield* ApprovalStatus.current(where, server))
        yield* options.json ? document(entry) : lines(entryLines(entry, paint))
      })
    )
  }))).pipe(
    Command.withDescription("Show the entry of one server as it was understood, and which file it comes from")
  )

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
