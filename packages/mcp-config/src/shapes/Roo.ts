/**
 * Roo Code and its relatives: `mcpServers` with `disabled`, `disabledTools`, and times in seconds.
 */
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import * as Family from "./Family.ts"
import * as Nodes from "./Nodes.ts"
import type { Shape } from "./Shape.ts"
import * as ToolLists from "./ToolLists.ts"
import type { Translation } from "./Translation.ts"

const APPLICATION = "Roo Code"

const translate = (entry: Translation): void => {
  entry.move("timeout", "timeout", Nodes.fromSeconds)
  ToolLists.read(entry, null, "disabledTools")
}

/** Roo Code. */
export const shape: Shape = {
  name: "roo",
  title: APPLICATION,
  format: "json",
  path: ["mcpServers"],
  decode: (root, context) => Family.decode(root, { dialect: Dialect.editor(APPLICATION, context), translate }),
  encode: (entry) => {
    const out = new Encoding(entry, Dialect.editor(APPLICATION))
    out.asProgram("cwd")
    out.asAddress("streamable-http")
    out.duration("timeout", "timeout", { millis: 1000, least: 1, most: 3600 })
    out.tools(null, "disabledTools")
    out.switchedOff("disabled")
    return out.end()
  }
}
