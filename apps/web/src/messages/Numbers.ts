/** Numbers and times as people say them, in the page's language. */
import { language, locale } from "../language/Language.ts"
import { ui } from "./UiMessages.ts"

export const count = (number: number, noun: string): string => `${amount(number)} ${noun}${number === 1 ? "" : "s"}`

/** 12345 as `12,345`. */
export const amount = (number: number): string => number.toLocaleString(locale)

/** 0.75 as `75%`. */
export const percent = (share: number): string => share.toLocaleString(locale, { style: "percent" })

const fixed = (number: number, digits: number): string =>
  number.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false })

export const duration = (millis: number): string => {
  if (millis < 1000) return ui.millis(amount(Math.round(millis)))
  if (millis < 60_000) return ui.seconds(fixed(millis / 1000, 1))
  const minutes = Math.floor(millis / 60_000)
  return minutes < 60
    ? ui.minutes(amount(minutes), amount(Math.floor(millis % 60_000 / 1000)))
    : ui.hours(amount(Math.floor(minutes / 60)), amount(minutes % 60))
}

/** 272000 as `4:32`. */
export const left = (millis: number): string => {
  const seconds = Math.ceil(millis / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

const CLOCK = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23"
})

export const clock = (time: Time): string => CLOCK.format(new Date(time))

type Time = string | number

/** The time of day, without its seconds. */
export const minute = (time: Time): string =>
  new Date(time).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

export const day = (time: Time): string => new Date(time).toLocaleDateString(locale)

/** A day, the month as a word, without its year. */
export const dayMonth = (time: Time): string =>
  new Date(time).toLocaleDateString(locale, { day: "numeric", month: "short" })

/** A day and its time, in figures. */
export const moment = (time: Time): string =>
  new Date(time).toLocaleString(locale, { dateStyle: "short", timeStyle: "short" })

/** A day and its time, the month as a word. */
export const date = (time: Time): string =>
  new Date(time).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" })

/** A day and its time to the second. */
export const instant = (time: Time): string =>
  new Date(time).toLocaleString(locale, { dateStyle: "short", timeStyle: "medium" })

export const bytes = (size: number): string => {
  if (size < 1000) return `${size} B`
  return size < 1_000_000 ? `${fixed(size / 1000, 1)} kB` : `${fixed(size / 1_000_000, 1)} MB`
}

/** 12345 as `12.3k`, or as the language shortens it: `1.2万`. */
export const short = (number: number): string => {
  if (language !== "en") return number.toLocaleString(locale, { notation: "compact", maximumFractionDigits: 1 })
  if (number < 1000) return String(number)
  return number < 1_000_000 ? `${trim(number / 1000)}k` : `${trim(number / 1_000_000)}M`
}

const trim = (number: number): string => number.toLocaleString(locale, { maximumFractionDigits: number < 100 ? 1 : 0 })

/** US dollars; small amounts keep two digits that say something. */
export const dollars = (amount: number): string =>
  amount.toLocaleString(locale, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    ...(amount === 0
      ? { maximumFractionDigits: 0 }
      : amount < 0.01
      ? { minimumSignificantDigits: 2, maximumSignificantDigits: 2 }
      : {})
  })

export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text
