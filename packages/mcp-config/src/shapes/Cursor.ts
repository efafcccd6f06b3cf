/**
 * Cursor: `mcpServers` with `${env:NAME}` and the names of places.
 */
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import * as Family from "./Family.ts"
import type { Context, Shape } from "./Shape.ts"

const APPLICATION = "Cursor"

const dialectFor = (context: Context) => Dialect.editor(APPLICATION, context, null)

const ANYWHERE = Dialect.editor(APPLICATION, { workspace: null, isWindows: false }, null)

/** Cursor. */
export const shape: Shape = {
  name: "cursor",
  title: APPLICATION,
  format: "json",
  path: ["mcpServers"],
  decode: (root, context) => Family.decode(root, { dialect: dialectFor(context), translate: () => {} }),
  encode: (entry) => {
    const out = new Encoding(entry, ANYWHERE)
    const { http, stdio } = out
    if (stdio !== null) {
      out.program(stdio, "command", "args")
      out.map("env", "env", stdio.env)
      out.optional("envFile", "envFile", stdio.envFile)
    }
    if (http !== null) {
      if (http._tag === "sse") out.put("type", "sse")
      out.put("url", out.need("url", http.url), "url")
      out.map("headers", "headers", http.headers)
    }
    return out.end()
  }
}
