/** The clock on the wall of whoever reads. */
import * as DateTime from "effect/DateTime"

export const local = (time: string | number): string => DateTime.formatLocal(DateTime.makeUnsafe(time), CLOCK)

const CLOCK = { locale: "sv-SE", dateStyle: "short", timeStyle: "medium" } as const
