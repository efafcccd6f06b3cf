/** Shapes whose servers stand in one map, each translated by itself. */
import { decodeFamily, type Decoding } from "./Decoding.ts"
import { Encoding } from "./Encoding.ts"
import type { Context, Shape } from "./Shape.ts"
import type { VariableSyntax } from "./VariableSyntax.ts"

export interface Member extends Pick<Shape, "name" | "title"> {
  /** Default JSON. */
  readonly format?: Shape["format"]
  /** Default `mcpServers`. */
  readonly path?: Shape["path"]
  /** The syntax of variables; without a context the one to write in. */
  readonly syntax: (context?: Context) => VariableSyntax
  readonly translate: (entry: Decoding) => void
  /** Default: the entries under `path`, each translated. */
  readonly decode?: Shape["decode"]
  readonly encode: (out: Encoding) => void
}

export const shapeOf = (member: Member): Shape => {
  const { encode, format = "json", name, path = ["mcpServers"], syntax, title, translate } = member
  const decode: Shape["decode"] = (root, context) => decodeFamily(root, { dialect: syntax(context), translate, path })
  return {
    ...{ name, title, format, path },
    decode: member.decode ?? decode,
    encode: (entry) => {
      const out = new Encoding(entry, syntax())
      encode(out)
      return out.end()
    }
  }
}
