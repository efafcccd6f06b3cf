/** The routes of permissions that this panel alone uses. */
import { post, put } from "../api/Client.ts"
import type { ExampleReport, Explained, JsonObject, Permissions } from "../api/Types.ts"

interface AskedCall {
  readonly tool: string
  readonly args: JsonObject
  readonly agent?: string
  readonly chat?: string
}

/** What would become of a call; nothing is called. */
export const explainCall = (call: AskedCall) => post<Explained>("permissions/explain", call)

export const runExamples = () => post<ExampleReport>("permissions/test")

/** Refused where the text is wrong, or an example comes out in another way; `isForced` saves it all the same. */
export const savePermissions = (text: string, isForced: boolean) =>
  put<Permissions>("permissions", isForced ? { text, force: true } : { text })
