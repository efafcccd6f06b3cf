/** Model-facing tool names (docs/decisions.md#decision-1-names-of-tools): legal for every provider, unique, and independent of what is connected. */
import { short } from "@boocode/mcp-client/Text"

/** The names of built-in tools; a server's tool never takes one of them. */
export const RESERVED: ReadonlySet<string> = new Set([
  "view_file",
  "list_dir",
  "grep",
  "tool_search",
  "tool_describe",
  "tool_call",
  "execute",
  "resources_list",
  "resources_read",
  "write_file",
  "edit_file",
  "make_dir",
  "move",
  "delete"
])

/** The pattern of every model-facing name. */
export const LEGAL = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

const MAX_LENGTH = 64
const SUFFIX = /_[0-9a-f]{8}$/
const SUFFIX_LENGTH = 9
const KEPT_LENGTH = MAX_LENGTH - SUFFIX_LENGTH

/** Most names have something else where a suffix begins, and to see that costs nothing. */
const isLikeSuffixed = (name: string): boolean => name.at(-SUFFIX_LENGTH) === "_" && SUFFIX.test(name)

/**
 * Names the tools of one server. The result depends only on the server's name, the raw tool names of its own list, the
 * names of all configured servers, and the reserved names.
 *
 * **Details**
 *
 * A name is `<server>_<tool>` with illegal characters as `_`. It gets a suffix of eight hexadecimal digits, computed
 * from the raw pair, when it is too long, reserved, shared with another tool of the list or another server, when a
 * longer server name claims its beginning (`b_*` of `a` where `a_b` is configured), or when it could be mistaken for a
 * suffixed name.
 */
export const assign = (
  server: string,
  tools: ReadonlyArray<string>,
  servers: ReadonlyArray<string>
): ReadonlyMap<string, string> => {
  const names = inOrder(server, tools, servers)
  return new Map(tools.map((tool, index) => [tool, names[index] ?? tool]))
}

/** The names of `assign`, in the order of the tools; there may be very many. */
export const inOrder = (
  server: string,
  tools: ReadonlyArray<string>,
  servers: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const beginning = `${serverPart(server)}_`
  const isOwned = ownsPrefix(server, servers)
  const parts = tools.every(isLegal) ? tools : tools.map(legalize)
  const sharers = parts === tools ? NOBODY : countBy(new Set(tools))
  return tools.map((tool, index) => {
    const part = parts[index] ?? tool
    const name = beginning + part
    const isItsOwn = part === tool || sharers.get(part) === 1
    const isPlain = name.length <= MAX_LENGTH && isItsOwn && !RESERVED.has(name) && !isLikeSuffixed(name) &&
      isOwned(name)
    return isPlain ? name : suffixed(name, server, tool)
  })
}

/**
 * Tells which configured server a model-facing name belongs to, without any server having listed its tools.
 *
 * **Details**
 *
 * Right for every plain name, and for a suffixed one that holds the raw tool name whole. In other suffixed names only
 * the beginning tells, so where several servers share it, the one with the longest name is given.
 */
export const owner = (name: string, servers: ReadonlyArray<string>): string | null => {
  const candidates = servers.filter((server) => claims(server, name))
  return candidates.find((server) => hasSigned(server, name)) ?? candidates.reduce(stronger, null)
}

const claims = (server: string, name: string): boolean => {
  const beginning = `${serverPart(server)}_`
  return name.startsWith(SUFFIX.test(name) ? beginning.slice(0, KEPT_LENGTH) : beginning)
}

/** The suffix is computed from the raw pair, so it tells the servers apart that claim one beginning. */
const hasSigned = (server: string, name: string): boolean => {
  const plain = name.slice(0, -SUFFIX_LENGTH)
  return suffixed(plain, server, plain.slice(serverPart(server).length + 1)) === name
}

const stronger = (best: string | null, server: string): string => {
  const difference = best === null ? 1 : serverPart(server).length - serverPart(best).length
  return best === null || difference > 0 || (difference === 0 && serverPart(server) === server) ? server : best
}

/** True for names of which no other server has a longer or equal claim. */
const ownsPrefix = (server: string, servers: ReadonlyArray<string>) => {
  const own = serverPart(server)
  const rivals = servers.filter((other) => other !== server).map((other) => ({ other, part: serverPart(other) }))
  // When the names of two servers become the same text, the one that was legal as written keeps the plain names.
  const hasTwin = rivals.some(({ part }) => part === own) && own !== server
  const longer = rivals.filter(({ part }) => part.length > own.length).map(({ part }) => `${part}_`)
  return (name: string) => !hasTwin && !longer.some((prefix) => name.startsWith(prefix))
}

const serverPart = (server: string): string => {
  const legal = legalize(server)
  return /^[a-zA-Z_]/.test(legal) ? legal : `_${legal}`
}

const isLegal = (text: string): boolean => !/[^a-zA-Z0-9_-]/.test(text)

const legalize = (text: string): string => text.replace(/[^a-zA-Z0-9_-]/gu, "_")

const suffixed = (name: string, server: string, tool: string): string =>
  `${name.slice(0, KEPT_LENGTH)}_${short(pairText(server, tool))}`

/** Different text for different pairs, also where a name contains what stands between the two. */
const pairText = (server: string, tool: string): string => {
  const pair = `${server}\u0000${tool}`
  return server.includes("\u0000") || tool.includes("\u0000") ? `${server.length}\u0000\u0000${pair}` : pair
}

const NOBODY: ReadonlyMap<string, number> = new Map()

/** How many tools become the same text. */
const countBy = (tools: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const part of [...tools].map(legalize)) counts.set(part, (counts.get(part) ?? 0) + 1)
  return counts
}
