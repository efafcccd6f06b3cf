/** The write mode of a chat, as `/write` takes it and as people read it. */
import type { ChatWrite } from "@boocode/chat"
import { TimeText } from "@boocode/mcp-config"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Failed } from "../terminal/Failure.ts"
import { local } from "../terminal/Output.ts"

const MODES = ["off", "ask", "rules"] as const

/** Reads `ask`, `ask 1h`, `ask 18:00`, `rules midnight`; `default` is null, which leaves it to permissions.jsonc. */
export const read = (text: string, now: DateTime.Zoned): Result.Result<typeof ChatWrite.Type | null, Failed> => {
  const [word = "", ...rest] = text.trim().split(/\s+/)
  if (word === "default" && rest.length === 0) return Result.succeed(null)
  const mode = MODES.find((one) => one === word)
  if (mode === undefined) return Result.fail(wrong(`there is no write mode ${word}`))
  const end = rest.filter((one) => one !== "until" && one !== "for").join(" ")
  if (end === "") return Result.succeed({ mode, until: null })
  const until = timeOf(end, now)
  return until === null
    ? Result.fail(wrong(`${end} is no time to come`))
    : Result.succeed({ mode, until: DateTime.formatIso(until) })
}

const wrong = (message: string) =>
  new Failed({
    tag: "WrongWriteMode",
    message,
    hint: "type /write off, ask, rules or default, and when it ends: 1h, 18:00, midnight or an ISO time"
  })

/** A time that has not come yet. */
const timeOf = (text: string, now: DateTime.Zoned): DateTime.DateTime | null => {
  if (text === "midnight") return DateTime.startOf(DateTime.add(now, { days: 1 }), "day")
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? []
  if (hours !== undefined && minutes !== undefined) return atClock(Number(hours), Number(minutes), now)
  const span = TimeText.read(text)
  const time = Result.isSuccess(span)
    ? DateTime.addDuration(now, span.success.duration)
    : /^\d{4}-/.test(text)
    ? Option.getOrNull(DateTime.make(text))
    : null
  return time === null || Duration.toMillis(DateTime.distance(now, time)) <= 0 ? null : time
}

/** Today at this time, or tomorrow. */
const atClock = (hour: number, minute: number, now: DateTime.Zoned): DateTime.Zoned | null => {
  if (hour > 23 || minute > 59) return null
  const today = DateTime.setParts(now, { hour, minute, second: 0, millisecond: 0 })
  return DateTime.isGreaterThan(today, now) ? today : DateTime.add(today, { days: 1 })
}

/** Such as `ask until 2026-12-01 18:00`. */
export const words = ({ mode, until }: typeof ChatWrite.Type): string =>
  until === null ? mode : `${mode} until ${local(until, "short")}`
