/** The pages that the results of a turn name: links to resources, and resources with the address of a page. Pure. */
import type { Json } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import type { Block } from "../open/TurnModel.ts"

export interface Source {
  readonly address: string
  readonly host: string
  readonly title: string
}

const LONGEST = 120

const textOf = (value: Json | undefined): string | null => {
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : ""
  return text === "" ? null : text.slice(0, LONGEST)
}

const sourceOf = (about: Readonly<Record<string, Json>>): ReadonlyArray<Source> => {
  const { uri } = about
  const url = typeof uri === "string" ? URL.parse(uri) : null
  // A name and a password before the host make another host of it for the eye.
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return []
  return [{ address: url.href, host: url.host, title: textOf(about["title"]) ?? textOf(about["name"]) ?? url.pathname }]
}

/** Each page once, in the order in which they came. */
export const sourcesOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Source> => {
  const found = blocks.flatMap((block) => block.kind === "call" ? block.result?.content ?? [] : [])
    .flatMap((block) => {
      if (block["type"] === "resource_link") return sourceOf(block)
      const resource = block["type"] === "resource" ? block["resource"] : undefined
      return resource !== undefined && isObject(resource) ? sourceOf(resource) : []
    })
  return [...new Map(found.map((source) => [source.address, source])).values()]
}
