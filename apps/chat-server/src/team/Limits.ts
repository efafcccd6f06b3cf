/** Which limits hold for a person: the narrowest that says something, each of the three by itself. */
import type { User } from "@boocode/chat"
import * as LimitSettings from "../settings/people/LimitSettings.ts"
import * as UserRows from "../users/UserRows.ts"

export interface PersonLimits {
  readonly money: LimitSettings.Amount | null
  readonly tokens: LimitSettings.Amount | null
  /** How many chats are answered at once. */
  readonly turns: number | null
}

type Named = LimitSettings.Limits[string]

/**
 * A limit for the person goes before those of their groups, and these before that for everyone. The most generous of
 * several groups holds.
 */
export const of = (limits: LimitSettings.Limits, { groups, name, role }: User): PersonLimits => {
  const own = Object.entries(limits).flatMap(([who, limit]) =>
    name !== "" && UserRows.keyOf(who) === UserRows.keyOf(name) && !isWide(who) ? [limit] : []
  )
  const wider = ["admins", ...groups.map((group) => `group:${group}`)].slice(role === "admin" ? 0 : 1)
  const levels = [own, wider.flatMap((who) => limits[who] ?? []), [limits["everyone"] ?? {}]]
  return {
    money: narrowest(levels, "money", LimitSettings.moneyOf, perDay),
    tokens: narrowest(levels, "tokens", LimitSettings.tokensOf, perDay),
    turns: narrowest(levels, "turns", (most) => most, (most) => most)
  }
}

const isWide = (who: string): boolean => who === "everyone" || who === "admins" || who.startsWith("group:")

const narrowest = <Key extends keyof Named, A>(
  levels: ReadonlyArray<ReadonlyArray<Named>>,
  key: Key,
  read: (written: NonNullable<Named[Key]>) => A,
  sizeOf: (one: A) => number
): A | null => {
  const found = levels.map((level) => level.map((limit) => limit[key]).filter((one) => one !== undefined))
    .find((level) => level.length > 0) ?? []
  const given = found.flatMap((one) => one === null || one === undefined ? [] : [read(one)])
  // Null is no limit.
  return given.length < found.length
    ? null
    : given.reduce<A | null>((most, one) => most === null || sizeOf(one) > sizeOf(most) ? one : most, null)
}

const DAYS = 30

const perDay = ({ most, per }: LimitSettings.Amount): number => per === "day" ? most : most / DAYS
