/** Reasons as JSON, for hosts that tell them to another process, and back. */
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../base/JsonRpc.ts"
import { ConnectionLost, isReason, type McpErrorReason, REASONS } from "./McpError.ts"

/** Its tag and its fields. A field that is no JSON, such as a cause, is left out. */
export const toJson = (reason: McpErrorReason): Schema.JsonObject => {
  const { _tag } = reason
  const fields = Object.entries(reason).filter(([key, value]) => !OURS.has(key) && isJson(value))
  const json: unknown = JSON.parse(JSON.stringify({ ...Object.fromEntries(fields), _tag }))
  return JsonRpc.isObject(json) ? json : { _tag }
}

/** The reason that was told. One that this version does not know is a lost connection that says so. */
export const fromJson = (json: Schema.JsonObject): McpErrorReason => {
  const { _tag, ...fields } = json
  const Reason = Object.entries(REASONS).find(([name]) => name === _tag)?.[1]
  const made: unknown = Reason === undefined ? null : Reflect.construct(Reason, [fields])
  return isReason(made) ? made : new ConnectionLost({ detail: `${JSON.stringify(_tag ?? null)} ended it` })
}

/** The fields of every error, beside those of its own. */
const OURS: ReadonlySet<string> = new Set(["_tag", "name", "message", "stack", "cause", "hint"])

const isJson = (value: unknown): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isJson)
  return JsonRpc.isObject(value) && Object.values(value).every(isJson)
}
