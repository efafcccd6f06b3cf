/**
 * Cursor: `mcpServers` with `${env:NAME}` and the names of places.
 */
import * as Dialect from "./Dialect.ts"
import { Encoding } from "./Encoding.ts"
import * as Family from "./Family.ts"
import * as OAuthNames from "./OAuthNames.ts"
import type { Shape } from "./Shape.ts"
import type { Translation } from "./Translation.ts"

const APPLICATION = "Cursor"

/** Credentials for signing in, with names in capitals. */
const translate = (entry: Translation): void => {
  if (entry.peek("auth")?.type === "object") entry.moveTexts("auth", "oauth", OAuthNames.read)
}

/** Cursor. */
export const shape: Shape = {
  name: "cursor",
  title: APPLICATION,
  format: "json",
  path: ["mcpServers"],
  decode: (root, context) => Family.decode(root, { dialect: Dialect.editor(APPLICATION, context), translate }),
  encode: (entry) => {
    const out = new Encoding(entry, Dialect.editor(APPLICATION))
    out.asProgram("envFile")
    out.asAddress(null)
    return out.end()
  }
}
