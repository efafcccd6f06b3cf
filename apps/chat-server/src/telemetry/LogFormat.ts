/** How the log is written: for people, or one JSON document a line for machines that collect it. */
import { CurrentServer } from "@boocode/mcp-registry"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Formatter from "effect/Formatter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { Settings } from "../settings/Settings.ts"

export type LogFormat = "pretty" | "json"

/** As it was asked for, else as the settings say. */
export const layer = (asked: LogFormat | null) =>
  Layer.unwrap(
    Effect.map(Settings, ({ logFormat }) => (asked ?? logFormat) === "json" ? json : Layer.empty)
  )

/** A line is `{time, level, message, …annotations, cause?}`; annotations say which server, chat or turn it is about. */
export const line = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) =>
  // Not JSON.stringify: it throws at what it cannot write.
  Formatter.formatJson({
    ...named("server", fiber.getRef(CurrentServer)),
    ...fiber.getRef(References.CurrentLogAnnotations),
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    message: (Array.isArray(message) ? message : [message]).map(words).join(" "),
    ...cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) }
  })
)

const named = (key: string, name: string | null) => name === null ? {} : { [key]: name }

/** Standard error is the log's; standard output is for the address and the servers. */
const json = Logger.layer([Logger.withConsoleError(line)])

const words = (part: unknown): string =>
  typeof part === "string" ? part : part instanceof Error ? part.message : Formatter.formatJson(part)
