/** `mcp logs`: events, standard error and log messages of a server, as the running server remembers them. */
import { LOG_LEVELS, type LogLevel } from "@boocode/mcp-config"
import type { LogLine } from "@boocode/mcp-registry"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Remote from "../backend/Remote.ts"
import { controlling } from "../backend/VerbContext.ts"
import { optional, type Options, serverName, switchFlag, textFlag, url, verb } from "../options/Options.ts"
import { local, oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

const count = (text: string): Option.Option<number> =>
  /^[1-9]\d{0,8}$/.test(text) ? Option.some(Number(text)) : Option.none()

export const logs = Command.make(
  "logs",
  {
    name: serverName,
    lines: Flag.withAlias(textFlag("lines", "N", "The number of last lines at most; 100 by default"), "n").pipe(
      Flag.filterMap(count, () => "a whole number from 1"),
      Flag.withDefault(100)
    ),
    isFollowed: switchFlag("follow", "Go on with new lines, until Ctrl-C", "f"),
    level: Flag.Literals("level", LOG_LEVELS).pipe(
      Flag.withDescription("Only log messages of this level and above; all events and all of standard error stay"),
      optional
    ),
    url
  },
  ({ url, ...request }) => verb((options) => controlling(options, url, shown(options, request)))
).pipe(
  Command.withDescription("Show events, standard error and log messages of an MCP server of the running server")
)

interface LogsRequest {
  readonly name: string
  readonly lines: number
  readonly isFollowed: boolean
  readonly level: LogLevel | null
}

const LOOK = "500 millis"

const shown = Effect.fnUntraced(function*(options: Options, { isFollowed, level, lines, name }: LogsRequest) {
  const output = yield* Output
  const all = yield* linesAfter(name, 0)
  const first = all.filter(isWanted(level)).slice(-lines)
  if (options.json && !isFollowed) return yield* output.document({ server: name, lines: first })
  const show = options.json
    ? (some: ReadonlyArray<LogLine>) => Effect.forEach(some, output.documentLine, { discard: true })
    : (some: ReadonlyArray<LogLine>) => output.lines(some.map((line) => logLine(line, output.paint)))
  yield* show(first)
  if (!isFollowed) return
  const seen = yield* Ref.make(all.at(-1)?.seq ?? 0)
  return yield* Effect.gen(function*() {
    yield* Effect.sleep(LOOK)
    const last = yield* Ref.get(seen)
    const fresh = yield* linesAfter(name, last)
    const missed = (fresh[0]?.seq ?? last + 1) - last - 1
    if (missed > 0) yield* output.notes([output.notePaint.dim(`… ${missed} lines came faster than they were read`)])
    yield* show(fresh.filter(isWanted(level)))
    yield* Ref.set(seen, fresh.at(-1)?.seq ?? last)
  }).pipe(Effect.forever)
})

const linesAfter = Effect.fnUntraced(function*(name: string, after: number) {
  const { api, quick } = yield* Remote.Remote
  const request = quick(api.servers.logs({ params: { name }, query: { after } }))
  return (yield* Effect.mapError(request, Remote.plainly)).lines
})

/** A message without a known level is always shown. */
const isWanted = (least: LogLevel | null) => ({ kind, level }: LogLine): boolean =>
  kind !== "message" || least === null || level === null || rank(level) >= rank(least)

const rank = (level: string): number => LOG_LEVELS.findIndex((known) => known === level)

/** The further lines of a text are indented, so that none looks like a log line of its own. */
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
