/**
 * The resources that fit what a person typed.
 */
import type { McpResource, ResourceList } from "@boocode/mcp-registry"

/** How many a person is given unless more are asked for. @category constants */
export const FOUND = 200
/** How many at most. @category constants */
export const MOST_FOUND = 10_000

/**
 * Those in which every word stands, the ones whose name begins with them first. Templates are found the same way.
 *
 * @category searching
 */
export const find = (
  list: ResourceList,
  query: string,
  limit: number
): ResourceList & { readonly total: number } => {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "")
  if (words.length === 0) return { ...list, resources: list.resources.slice(0, limit), total: list.resources.length }
  const fits = (...texts: ReadonlyArray<string | null>) => {
    const text = texts.join("\n").toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const found = list.resources.filter(({ description, name, server, title, uri }) =>
    fits(name, title, uri, description, server)
  )
  const begins = ({ name, title }: McpResource) =>
    [name, title ?? ""].some((text) => text.toLowerCase().startsWith(words.join(" ")))
  return {
    ...list,
    resources: [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, limit),
    templates: list.templates.filter(({ description, name, server, title, uriTemplate }) =>
      fits(name, title, uriTemplate, description, server)
    ),
    total: found.length
  }
}
