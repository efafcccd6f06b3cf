/** The disabled servers that a new data folder comes with. They show how to write an entry, and give way to a person's own. */
import * as Equal from "effect/Equal"
import type * as Schema from "effect/Schema"

/** The examples by name, as they are shipped. */
export const shipped: Readonly<Record<string, Schema.JsonObject>> = {
  context7: {
    type: "streamableHttp",
    url: "https://mcp.context7.com/mcp",
    headers: { "X-API-Key": "${CONTEXT7_API_KEY:-}" },
    enabled: false
  },
  codecontext: {
    type: "stdio",
    command: "/usr/local/bin/codecontext",
    args: ["--mcp"],
    env: { WORKSPACE: "/opt" },
    enabled: false
  }
}

/** True for an example that still says what it said when it was shipped; comments and layout do not count. */
export const isUntouched = (name: string, entry: Schema.Json): boolean =>
  Object.hasOwn(shipped, name) && Equal.equals(shipped[name], entry)
