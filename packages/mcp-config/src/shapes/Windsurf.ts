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

/** Windsurf. */
export const shape: Shape = {
  name: "windsurf",
  title: APPLICATION,
  format: "json",
  path: ["mcpServers"],
  decode: (root, context) => Family.decode(root, { dialect: Dialect.editor(APPLICATION, context), translate }),
  encode: (entry) => {
    const out = new Encoding(entry, Dialect.editor(APPLICATION))
    out.asProgram()
    out.asAddressAt({ streamableHttp: "serverUrl", sse: "serverUrl" })
    out.tools(null, "disabledTools")
    out.switchedOff("disabled")
    return out.end()
  }
}
