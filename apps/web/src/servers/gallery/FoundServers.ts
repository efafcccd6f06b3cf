/** The search and its hits, kept while the page is open: one comes back to them from a server. */
import { signal } from "@preact/signals"
import { type FoundPage, search } from "./GalleryClient.ts"

export const sought = signal("")

/** All pages so far; null before the first search. */
export const found = signal<FoundPage | null>(null)

let asked = ""

export const searchAnew = async () => {
  asked = sought.value.trim()
  found.value = await search(asked, null)
}

export const searchOn = async () => {
  const before = found.value
  if (before === null || before.nextCursor === null) return
  const next = await search(asked, before.nextCursor)
  const known = new Set(before.servers.map(({ name }) => name))
  found.value = { ...next, servers: [...before.servers, ...next.servers.filter(({ name }) => !known.has(name))] }
}
