/** `mcp logs`: what became of a server, what it wrote to standard error and its log messages, as the running server remembers it. */
import { LOG_LEVELS, type LogLevel } from "@boocode/mcp-config"
import type { LogLine } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { controlling } from "../backend/Connected.ts"
import * as Remote from "../backend/Remote.ts"
import type { Options, Target } from "../options/Options.ts"
import { local, oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

export interface LogsRequest {
  readonly name: string
  /** At most so many of the lines there are. */
  readonly lines: number
  readonly follow: boolean
  /** Of log messages none below this one; null for all that there are. */
  readonly level: LogLevel | null
}

const LOOK = "500 millis"

export const logs = Effect.fnUntraced(function*(options: Options, target: Target, request: LogsRequest) {
  yield* controlling(options, target, shown(options, request))
})

const shown = Effect.fnUntraced(function*(options: Options, { follow, level, lines, name }: LogsRequest) {
  const output = yield* Output
  const all = yield* linesAfter(name, 0)
  const first = all.filter(isWanted(level)).slice(-lines)
  if (options.json && !follow) return yield* output.document({ server: name, lines: first })
  const show = options.json
    ? (some: ReadonlyArray<LogLine>) => Effect.forEach(some, output.documentLine, { discard: true })
    : (some: ReadonlyArray<LogLine>) => output.lines(some.map((line) => logLine(line, output.paint)))
  yield* show(first)
  if (!follow) return
  let last = all.at(-1)?.seq ?? 0
  return yield* Effect.gen(function*() {
    yield* Effect.sleep(LOOK)
    const fresh = yield* linesAfter(name, last)
    const missed = (fresh[0]?.seq ?? last + 1) - last - 1
    if (missed > 0) yield* output.notes([output.notePaint.dim(`… ${missed} lines came faster than they were read`)])
    yield* show(fresh.filter(isWanted(level)))
    last = fresh.at(-1)?.seq ?? last
  }).pipe(Effect.forever)
})

const linesAfter = Effect.fnUntraced(function*(name: string, after: number) {
  const { api, quick } = yield* Remote.Remote
  const request = quick(api.servers.logs({ params: { name }, query: { after } }))
  return (yield* Effect.mapError(request, Remote.plainly)).lines
})

/** What a server named no level of may weigh anything. */
const isWanted = (least: LogLevel | null) => ({ kind, level }: LogLine): boolean =>
  kind !== "message" || least === null || level === null || rank(level) >= rank(least)

const rank = (level: string): number => LOG_LEVELS.findIndex((known) => known === level)

/** Of a text of several lines none looks like a line of its own. */
const logLine = (line: LogLine, paint: Paint): string =>
  `${paint.dim(local(line.time))}  ${words(line, paint).trimEnd().replaceAll("\n", "\n    ")}`

const words = ({ kind, level, logger, text }: LogLine, paint: Paint): string => {
  if (kind === "event") return paint.bold(plain(text))
  if (kind === "stderr") return `| ${plain(text)}`
  const from = logger === null ? "" : ` ${paint.dim(`[${oneLine(logger, 80)}]`)}`
  return `${coloured(level ?? "message", paint)}${from} ${plain(text)}`
}

const coloured = (level: string, { bad, careful, dim }: Paint): string => {
  if (rank(level) >= rank("error")) return bad(level)
  return rank(level) >= rank("warning") ? careful(level) : dim(level)
}
