/** Numbers and times as people say them. */

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

export const duration = (millis: number): string => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  return `${Math.floor(millis / 60_000)} min ${Math.round(millis % 60_000 / 1000)} s`
}

/** 272000 as `4:32`. */
export const left = (millis: number): string => {
  const seconds = Math.ceil(millis / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23"
})

export const clock = (time: string | number): string => CLOCK.format(new Date(time))

export const bytes = (size: number): string => {
  if (size < 1000) return `${size} B`
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`
}

/** 12345 as `12.3k`. */
export const short = (number: number): string => {
  if (number < 1000) return String(number)
  return number < 1_000_000 ? `${trim(number / 1000)}k` : `${trim(number / 1_000_000)}M`
}

const trim = (number: number): string => number.toFixed(number < 100 ? 1 : 0).replace(/\.0$/, "")

/** US dollars; small amounts keep two digits that say something. */
export const dollars = (amount: number): string => {
  if (amount === 0) return "$0"
  return amount < 0.01 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(2)}`
}

export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text
