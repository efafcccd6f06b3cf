/** Whether a URI may have been made from a template (RFC 6570). Pure. */
import { RE2JS } from "re2js"

/** Longer templates and URIs, and templates of more expressions, fit nothing. */
const LIMITS = { characters: 2000, expressions: 16 } as const

/**
 * True when the template with some values filled in gives this URI. Values need not be encoded as the RFC wants, as
 * long as they hold no character that would end them. A malformed template fits nothing. RE2 takes time linear in the
 * URI, whatever a server wrote.
 */
export const fits = (template: string, uri: string): boolean => {
  if (template.length > LIMITS.characters || uri.length > LIMITS.characters) return false
  const pieces = piecesOf(template)
  if (pieces === null || !uri.startsWith(pieces[0] ?? "")) return false
  // Every second piece is an expression.
  const pattern = pieces.map((piece, index) => index % 2 === 0 ? RE2JS.quote(piece) : patternOf(piece)).join("")
  return RE2JS.compile(pattern, RE2JS.DOTALL).matches(uri)
}

/** Texts with what stands in braces between them; null for braces that do not belong together. */
const piecesOf = (template: string): ReadonlyArray<string> | null => {
  const pieces = template.split(/\{([^{}]*)\}/)
  const isSound = pieces.every((piece, index) => index % 2 === 0 ? !/[{}]/.test(piece) : EXPRESSION.test(piece))
  return isSound && pieces.length <= 2 * LIMITS.expressions + 1 ? pieces : null
}

const EXPRESSION = /^[+#./;?&]?[\w.%]+(?:\*|:\d{1,4})?(?:,[\w.%]+(?:\*|:\d{1,4})?)*$/

/** Values that are led by a character may be missing. */
const patternOf = (expression: string): string => {
  switch (expression.charAt(0)) {
    case "+":
      return ".+"
    case "#":
      return "(?:#.*)?"
    case "?":
      return "(?:[?][^#]*)?"
    case "&":
      return "(?:&[^#]*)?"
    case "/":
      return /[*,]/.test(expression) ? "(?:/[^?#]*)?" : "(?:/[^/?#]*)?"
    case ".":
      return "(?:[.][^/?#]*)?"
    case ";":
      return "(?:;[^/?#]*)?"
    default:
      return "[^/?#]+"
  }
}
