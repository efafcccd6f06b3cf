/**
 * The parts of a tool, a prompt or a resource that servers write for programs, and neither for models nor for people.
 * They are passed on as they came, so that extensions work of which nobody here knows, such as MCP Apps (`_meta.ui` of
 * a tool, 2025-11-25).
 */
import { JsonRpc, JsonValue } from "@boocode/mcp-client/Text"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** `_meta` and `icons`; `annotations` of a resource. Left out where the server says none of it. */
export interface Passed {
  readonly passed?: Schema.JsonObject
}

/** Clients refuse a whole list for one malformed icon, and what cannot be written as JSON: neither is passed on. */
export const of = (item: Schema.JsonObject, keys: ReadonlyArray<string> = TOLD): Passed => {
  const passed = Object.fromEntries(keys.flatMap((key) => {
    const value = key === "icons" ? iconsOf(item[key]) : item[key]
    return isTold(value) ? [[key, value] as const] : []
  }))
  return Object.keys(passed).length === 0 ? NONE : { passed }
}

const TOLD = ["_meta", "icons"]

/** Those of a resource; `annotations` of a tool are read here, and told by themselves. */
export const OF_RESOURCE = [...TOLD, "annotations"]

const NONE: Passed = {}

const isTold = (value: Schema.Json | undefined): value is Schema.JsonObject | Schema.JsonArray =>
  (JsonRpc.isObject(value) || Array.isArray(value)) && Result.getOrElse(
    Result.try(() => JsonValue.isSound({ value }) && JSON.stringify(value).length > "[]".length),
    () => false
  )

const iconsOf = (icons: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> =>
  Array.isArray(icons) ? icons.filter(JsonRpc.isObject).filter(isIcon) : []

const isIcon = ({ mimeType, sizes, src, theme }: Schema.JsonObject): boolean =>
  typeof src === "string" && (mimeType === undefined || typeof mimeType === "string") &&
  (sizes === undefined || (Array.isArray(sizes) && sizes.every((size) => typeof size === "string"))) &&
  (theme === undefined || theme === "light" || theme === "dark")
