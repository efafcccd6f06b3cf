/**
 * Whether a URI may have been made from a template (RFC 6570). Pure.
 */

/** Longer templates and URIs, and templates of more expressions, fit nothing. @category constants */
export const LIMITS = { characters: 2000, expressions: 16 } as const

/**
 * True when the template with some values filled in gives this URI. Values need not be encoded as the RFC wants, as long as
 * they hold no character that would end them. A template that is malformed fits nothing. Takes time linear in the URI for
 * each expression of the template, whatever a server wrote.
 *
 * @category predicates
 */
export const fits = (template: string, uri: string): boolean => {
  if (template.length > LIMITS.characters || uri.length > LIMITS.characters) return false
  const pieces = piecesOf(template)
  if (pieces === null || !uri.startsWith(pieces[0] ?? "")) return false
  let reached = new Uint8Array(uri.length + 1)
  reached[0] = 1
  for (const [index, piece] of pieces.entries()) {
    // Every second piece is an expression.
    reached = index % 2 === 0 ? afterText(piece, uri, reached) : afterExpression(piece, uri, reached)
  }
  return reached[uri.length] === 1
}

/** Texts with what stands in braces between them; null for braces that do not belong together. */
const piecesOf = (template: string): ReadonlyArray<string> | null => {
  const pieces = template.split(/\{([^{}]*)\}/)
  const isSound = pieces.every((piece, index) => index % 2 === 0 ? !/[{}]/.test(piece) : EXPRESSION.test(piece))
  return isSound && pieces.length <= 2 * LIMITS.expressions + 1 ? pieces : null
}

const EXPRESSION = /^[+#./;?&]?[\w.%]+(?:\*|:\d{1,4})?(?:,[\w.%]+(?:\*|:\d{1,4})?)*$/

/** Holds a 1 at each place of a URI that the pieces so far may end at. */
type Places = Uint8Array<ArrayBuffer>

const afterText = (text: string, uri: string, from: Places): Places => {
  if (text === "") return from
  const ends = new Uint8Array(from.length)
  for (let at = uri.indexOf(text); at !== -1; at = uri.indexOf(text, at + 1)) {
    if (from[at] === 1) ends[at + text.length] = 1
  }
  return ends
}

const afterExpression = (expression: string, uri: string, from: Places): Places => {
  const { lead, stops } = rulesOf(expression)
  // What is led by a character may be nothing at all.
  const ends = lead === null ? new Uint8Array(from.length) : from.slice()
  let isInside = false
  for (let at = 0; at < uri.length; at++) {
    if (lead === null && from[at] === 1) isInside = true
    if (stops.includes(uri.charAt(at))) isInside = false
    if (lead === uri[at] && from[at] === 1) isInside = true
    if (isInside) ends[at + 1] = 1
  }
  return ends
}

interface Rules {
  /** Stands before the first value; null when values stand by themselves. */
  readonly lead: string | null
  /** Characters that no value holds. */
  readonly stops: string
}

const rulesOf = (expression: string): Rules => {
  const lead = expression.charAt(0)
  switch (lead) {
    case "+":
      return { lead: null, stops: "" }
    case "#":
      return { lead, stops: "" }
    case "?":
    case "&":
      return { lead, stops: "#" }
    case "/":
      return { lead, stops: /[*,]/.test(expression) ? "?#" : "/?#" }
    case ".":
    case ";":
      return { lead, stops: "/?#" }
    default:
      return { lead: null, stops: "/?#" }
  }
}
