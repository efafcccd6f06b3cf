/** The routes of permissions that this panel alone uses. */
import { post, put } from "../api/Client.ts"
import type { ExampleReport, Explained, JsonObject, Permissions } from "../api/Types.ts"

interface AskedCall {
  readonly tool: string
  readonly args: JsonObject
  readonly agent?: string
  readonly chat?: string
}

/** The outcome for a call; nothing is called. */
export const explainCall = (call: AskedCall) => post<Explained>("permissions/explain", call)

export const runExamples = () => post<ExampleReport>("permissions/test")

/**
 * Refused where the text is wrong, where an example comes out in another way, unless `isForced`, and where the file is no
 * longer the one of `seen`.
 */
export const savePermissions = (text: string, seen: string | null, isForced: boolean) =>
  put<Permissions>("permissions", { text, seen, ...(isForced ? { force: true } : {}) })
