/**
 * Windsurf: `mcpServers` with `serverUrl`, `disabled` and `${env:NAME}`.
 */
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import * as Family from "./Family.ts"
import type { Shape } from "./Shape.ts"
import * as ToolLists from "./ToolLists.ts"
import type { Translation } from "./Translation.ts"

const APPLICATION = "Windsurf"

const translate = (entry: Translation): void => {
  if (entry.has("serverUrl")) entry.drop("url", "\"serverUrl\" goes before it")
  entry.moveTexts("serverUrl", "url")
  ToolLists.read(entry, null, "disabledTools")
}

const ANYWHERE = Dialect.editor(APPLICATION, { workspace: null, isWindows: false }, null)

/** Windsurf. */
export const shape: Shape = {
  name: "windsurf",
  title: APPLICATION,
  format: "json",
  path: ["mcpServers"],
  decode: (root, context) => Family.decode(root, { dialect: Dialect.editor(APPLICATION, context, null), translate }),
  encode: (entry) => {
    const out = new Encoding(entry, ANYWHERE)
    const { http, stdio } = out
    if (stdio !== null) {
      out.program(stdio, "command", "args")
      out.map("env", "env", stdio.env)
    }
    if (http !== null) {
      out.put("serverUrl", out.need("url", http.url), "url")
      if (http._tag === "sse") out.put("type", "sse")
      out.map("headers", "headers", http.headers)
    }
    out.tools(null, "disabledTools")
    out.switchedOff("disabled")
    return out.end()
  }
}
