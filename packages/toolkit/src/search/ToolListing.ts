/** The names of many tools in few words. */
import * as Fitting from "../text/Fitting.ts"

/** How long a listing is at most, in characters; about 1,000 tokens. */
export const MAX_CHARACTERS = 3600

/**
 * Lists names by server, each server with as much of the room as any other and the room that others leave; of names
 * that do not fit, the listing tells the number. The beginning that all names of a server share stands once, before
 * them. Does not depend on the order of the tools. Empty for none.
 */
export const text = (
  tools: ReadonlyArray<{ readonly name: string; readonly server: string | null }>
): string => {
  if (tools.length === 0) return ""
  const groups = [...Map.groupBy(tools, beginning)].toSorted(([one], [other]) => one < other ? -1 : 1)
  const shown = groups.slice(0, MAX_SERVERS)
  const hidden = groups.slice(MAX_SERVERS)
  const lines = fitted(
    shown.map(([start, some]) => ({ start, names: some.map(({ name }) => name.slice(start.length)).toSorted() }))
  )
  const rest = hidden.reduce((sum, [, some]) => sum + some.length, 0)
  const more = hidden.length === 0 ? "" : `; ${rest} more of ${hidden.length} other servers`
  return `There are ${tools.length}, by the beginning of their names: ${lines.join("; ")}${more}`
}

const MAX_SERVERS = 80

/** Empty for a name that does not begin with its server's, as a long one may be. */
const beginning = ({ name, server }: { readonly name: string; readonly server: string | null }): string => {
  const start = `${server ?? ""}_`
  return name.startsWith(start) ? start : ""
}

interface Group {
  readonly start: string
  /** The rest of each name, after the shared beginning. */
  readonly names: ReadonlyArray<string>
}

/** Those that need least come first, so that what they leave is there for the others. */
const fitted = (groups: ReadonlyArray<Group>): ReadonlyArray<string> => {
  const lines = new Map<string, string>()
  let left = MAX_CHARACTERS
  for (const [at, group] of groups.toSorted((one, other) => length(one) - length(other)).entries()) {
    const text = line(group, Math.floor(left / (groups.length - at)))
    lines.set(group.start, text)
    left -= text.length + "; ".length
  }
  return groups.map(({ start }) => lines.get(start) ?? "")
}

const length = ({ names, start }: Group): number => names.reduce((sum, name) => sum + name.length + 2, start.length)

const line = ({ names, start }: Group, room: number): string => {
  const head = `${start === "" ? "in full" : start} (${names.length})`
  const shown = names.slice(0, Fitting.count(names, room - head.length - MORE, (name) => name.length + 2))
  if (shown.length === 0) return head
  return `${head}: ${shown.join(", ")}${shown.length < names.length ? ", …" : ""}`
}

/** Room for separators and the sign that there are more. */
const MORE = 8
