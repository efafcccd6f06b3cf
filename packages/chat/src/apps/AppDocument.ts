/** The document of an app, as its server gives it, and what it declares to need. */
import { ServerRequests } from "@boocode/mcp-client/Host"
import { JsonRpc } from "@boocode/mcp-client/Text"
import { McpRegistry, type ResourceContent, ToolUi } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { UnusableApp } from "./AppError.ts"
import type { ChatApp } from "./ChatApp.ts"

export interface AppDocument {
  /** To the letter. */
  readonly html: string
  /** `_meta.ui` of the content, else of the listing; empty where neither has it. */
  readonly ui: Schema.JsonObject
}

/** Larger ones are not shown. In bytes of what the server sends. */
export const MOST_BYTES = 5_000_000

/** Reads it. Fails with `UnusableApp` for what is no app, and as `McpRegistry.readResource` does. */
export const read = Effect.fnUntraced(function*({ server, uri }: Pick<ChatApp, "server" | "uri">) {
  const registry = yield* McpRegistry
  const unusable = (why: string) => new UnusableApp({ server, uri, why })
  if (!ToolUi.isAppUri(uri)) return yield* unusable("its address is no ui:// address")
  const contents = yield* registry.readResource(server, uri, { asWritten: true, maxBytes: MOST_BYTES })
  const content = contents.find((one) => one.uri === uri) ?? contents[0]
  if (content === undefined) return yield* unusable("the server sent nothing")
  if (content.truncated) return yield* unusable(`it is larger than ${MOST_BYTES / 1_000_000} MB`)
  if (!isApp(content.mimeType)) {
    return yield* unusable(`its type is ${content.mimeType ?? "not told"}, not ${ServerRequests.APP_TYPE}`)
  }
  const html = htmlOf(content)
  if (html === null) return yield* unusable("its content is not text")
  // A content without any may leave it to the listing.
  const ui = uiOf(content) ?? (yield* listed(registry, { server, uri })) ?? {}
  return { html, ui } satisfies AppDocument
})

const isApp = (type: string | null): boolean =>
  type !== null && type.toLowerCase().replaceAll(/[\s"]/g, "") === ServerRequests.APP_TYPE

const htmlOf = ({ blob, text }: ResourceContent): string | null =>
  blob === null ? text : Result.getOrElse(Base64.decodeString(blob), () => null)

const uiOf = ({ passed }: Pick<ResourceContent, "passed">): Schema.JsonObject | null => {
  const meta = passed?.["_meta"]
  const ui = JsonRpc.isObject(meta) ? meta["ui"] : undefined
  return JsonRpc.isObject(ui) ? ui : null
}

/** An app need not be listed. */
const listed = (registry: typeof McpRegistry.Service, { server, uri }: Pick<ChatApp, "server" | "uri">) =>
  Effect.match(registry.resources(server), {
    onFailure: () => null,
    onSuccess: ({ resources }) => {
      const found = resources.find((one) => one.uri === uri)
      return found === undefined ? null : uiOf(found)
    }
  })
