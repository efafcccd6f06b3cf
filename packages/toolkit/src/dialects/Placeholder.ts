/**
 * The parameter that stands where a tool has none: some providers refuse an object without properties (Decision 9).
 */
import type * as Schema from "effect/Schema"
import { isObject } from "../JsonSchema.ts"

/** Its name. @category constants */
export const NAME = "_placeholder"

/** Whether a root needs it. */
export const isNeeded = (root: Schema.JsonObject): boolean =>
  isObject(root["properties"]) && Object.keys(root["properties"]).length === 0

/** A root with it. Strict schemas require every property; a root that is a map takes arguments all the same. */
export const added = (root: Schema.JsonObject, isStrict: boolean, isMap: boolean): Schema.JsonObject => ({
  ...root,
  properties: {
    [NAME]: { type: "boolean", description: isMap ? "Ignored." : "Ignored. This tool needs no arguments." }
  },
  ...(isStrict ? { required: [NAME] } : {})
})
