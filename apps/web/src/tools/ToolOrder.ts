/** The order in which found tools are shown. Pure. */
import type { Tool } from "../api/Types.ts"

/** First those with all the words in their name, then those the search ranked, then those that mention the words. */
export const inOrder = (
  here: ReadonlyArray<Tool>,
  asked: string,
  ranked: ReadonlyArray<string>
): ReadonlyArray<Tool> => {
  const wanted = asked.toLowerCase().split(/\s+/)
  const place = new Map(ranked.map((name, index) => [name, index]))
  const scored = here.flatMap((tool) => {
    const name = tool.name.toLowerCase()
    if (wanted.every((word) => name.includes(word))) return [{ tool, score: -1 }]
    const rank = place.get(tool.name)
    if (rank !== undefined) return [{ tool, score: rank }]
    const text = `${name} ${tool.description?.toLowerCase() ?? ""}`
    return wanted.every((word) => text.includes(word)) ? [{ tool, score: ranked.length }] : []
  })
  return scored.toSorted((one, other) => one.score - other.score).map(({ tool }) => tool)
}
