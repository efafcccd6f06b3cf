/** `mcp logs`: what became of a server and what it wrote to standard error, as the running server remembers it. */
import type { LogLine } from "@boocode/mcp-registry"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { controlling } from "./Connected.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import type { Paint } from "./Paint.ts"
import { plain } from "./PlainText.ts"
import { Remote } from "./Remote.ts"
import * as RemoteFailure from "./RemoteFailure.ts"
import type { Target } from "./Target.ts"

export interface LogsRequest {
  readonly name: string
  /** At most so many of the lines there are. */
  readonly lines: number
  readonly follow: boolean
}

const LOOK = "500 millis"

export const logs = Effect.fnUntraced(function*(options: Options, target: Target, request: LogsRequest) {
  yield* controlling(options, target, shown(options, request))
})

const shown = Effect.fnUntraced(function*(options: Options, { follow, lines, name }: LogsRequest) {
  const output = yield* Output
  const first = (yield* linesAfter(name, 0)).slice(-lines)
  if (options.json && !follow) return yield* output.document({ server: name, lines: first })
  const show = options.json
    ? (some: ReadonlyArray<LogLine>) => Effect.forEach(some, output.documentLine, { discard: true })
    : (some: ReadonlyArray<LogLine>) => output.lines(some.map((line) => logLine(line, output.paint)))
  yield* show(first)
  if (!follow) return
  let last = first.at(-1)?.seq ?? 0
  return yield* Effect.gen(function*() {
    yield* Effect.sleep(LOOK)
    const fresh = yield* linesAfter(name, last)
    const missed = (fresh[0]?.seq ?? last + 1) - last - 1
    if (missed > 0) yield* output.notes([output.notePaint.dim(`… ${missed} lines came faster than they were read`)])
    yield* show(fresh)
    last = fresh.at(-1)?.seq ?? last
  }).pipe(Effect.forever)
})

const linesAfter = Effect.fnUntraced(function*(name: string, after: number) {
  const { api, quick } = yield* Remote
  const request = quick(api.servers.logs({ params: { name }, query: { after } }))
  return (yield* Effect.mapError(request, RemoteFailure.plainly)).lines
})

const logLine = ({ kind, text, time }: LogLine, paint: Paint): string =>
  `${paint.dim(local(time))}  ${kind === "event" ? paint.bold(plain(text)) : `| ${plain(text)}`}`

/** The clock on the wall of whoever reads. */
const local = (time: string): string => DateTime.formatLocal(DateTime.makeUnsafe(time), CLOCK)

const CLOCK = { locale: "sv-SE", dateStyle: "short", timeStyle: "medium" } as const
