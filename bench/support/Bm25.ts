/** Plain BM25 (Robertson), as the yardstick of tool search: one text a document, words by letters and digits. */
import type { ToolSearch } from "@boocode/toolkit"

const K1 = 0.9
const B = 0.4

export const words = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Everything the index of tool search looks at, in one text. */
export const textOf = ({ description, inputSchema, server, title, tool }: ToolSearch.Searchable): string => {
  const properties = Object(inputSchema["properties"])
  const parameters = Object.entries(properties).map(([name, schema]) => `${name} ${Object(schema).description ?? ""}`)
  return [tool, title, server, description, ...parameters].join(" ")
}

export const make = (
  tools: ReadonlyArray<ToolSearch.Searchable>,
  split: (text: string) => ReadonlyArray<string> = words
) => {
  const documents = tools.map((tool) => {
    const all = split(textOf(tool))
    return { name: tool.name, length: all.length, counts: Map.groupBy(all, (word) => word) }
  })
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const rarity = (word: string): number => {
    const count = documents.filter(({ counts }) => counts.has(word)).length
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5))
  }
  return (query: string, limit: number): ReadonlyArray<string> => {
    const asked = [...new Set(split(query))].map((word) => ({ word, idf: rarity(word) }))
    return documents
      .map(({ counts, length, name }) => ({
        name,
        score: asked.reduce((sum, { idf, word }) => {
          const count = counts.get(word)?.length ?? 0
          return sum + idf * count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean))
        }, 0)
      }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
      .slice(0, limit)
      .map(({ name }) => name)
  }
}
