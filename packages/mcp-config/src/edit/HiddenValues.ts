/**
 * The text of an entry for people who may see everything but secrets: literal values of `env`, `headers` and secrets of
 * `oauth`, and whatever looks like a key in arguments and addresses, are hidden, and put back when the text returns.
 */
import * as Result from "effect/Result"
import { type Node, type NodeType, type ParseError, parseTree, visit } from "jsonc-parser"
import { type Fault, places } from "../text/JsonNode.ts"
import * as Template from "../text/Template.ts"

/** Stands for what is hidden. */
export const MASK = "••••••••"

/** The text with its secrets hidden. */
export const hide = (text: string): string =>
  edited(
    text,
    leavesOf(text).flatMap((leaf) => {
      const shown = shownOf(leaf)
      return shown === leaf.value ? [] : [{ leaf, content: JSON.stringify(shown) }]
    })
  )

/**
 * A file of entries or of settings with its secrets hidden, wherever they stand in it. Nothing puts them back. Its comments
 * are hidden, because they may be entries, and so is the whole of a text that is no JSON.
 */
export const hideFile = (text: string): string => {
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  if (root === undefined || errors.length > 0) return text.trim() === "" ? text : MASK
  const hidden = [...commentsOf(text), ...secretsOf(root)]
  return edited(text, hidden.toSorted((one, other) => one.leaf.node.offset - other.leaf.node.offset))
}

/** A text with its secrets in it again. */
export interface Restored {
  readonly text: string
  /** The top-level keys under which a hidden value was put back. */
  readonly kept: ReadonlySet<string>
}

/** Why a text cannot get its secrets back. */
export interface HiddenFault extends Fault {
  /** The key that has to be typed again, for instance `env.TOKEN`. */
  readonly key: string
}

/**
 * Puts back what `hide` hid of `old`, at the same places; an argument may have moved together with the option before it.
 * Fails at a hidden value that stands anywhere else, or that was changed in part.
 */
export const restore = (text: string, old: string | null): Result.Result<Restored, HiddenFault> => {
  const before = old === null ? [] : leavesOf(old)
  const hidden = leavesOf(text).filter(({ value }) => value.includes(MASK))
  const found = hidden.map((leaf) => ({ leaf, content: rawOf(leaf, before) }))
  const lost = found.find(({ content }) => content === null)
  if (lost !== undefined) {
    const { node, path } = lost.leaf
    return Result.fail({
      ...places(text)(node.offset),
      key: keyOf(path),
      detail: `${keyOf(path)} is hidden, and what it was cannot be told here`
    })
  }
  return Result.succeed({
    text: edited(text, found.map(({ content, leaf }) => ({ leaf, content: content ?? "" }))),
    kept: new Set(hidden.map(({ path: [first] }) => String(first)))
  })
}

type Path = ReadonlyArray<string | number>

interface Leaf {
  readonly node: Node
  readonly path: Path
  readonly value: string
  /** As it is written, in its quotes. */
  readonly raw: string
  /** The text before it in its list; null where there is none. */
  readonly before: string | null
}

const leavesOf = (text: string): ReadonlyArray<Leaf> => {
  const root = parseTree(text, [], { allowTrailingComma: true })
  return root === undefined
    ? []
    : below(root, [], null).map((leaf) => ({
      ...leaf,
      raw: text.slice(leaf.node.offset, leaf.node.offset + leaf.node.length)
    }))
}

const below = (
  node: Node,
  path: Path,
  before: string | null,
  types: ReadonlyArray<NodeType> = ["string"]
): ReadonlyArray<Omit<Leaf, "raw">> => {
  if (types.includes(node.type)) return [{ node, path, value: String(node.value), before }]
  const children = node.children ?? []
  if (node.type === "array") {
    return children.flatMap((item, at) => {
      const last = children[at - 1]
      return below(item, [...path, at], last?.type === "string" ? String(last.value) : null, types)
    })
  }
  return children.flatMap(({ children: [key, value] = [] }) =>
    value === undefined ? [] : below(value, [...path, String(key?.value)], null, types)
  )
}

const keyOf = (path: Path): string =>
  path.map((step, at) => typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`).join("")

interface Edit {
  readonly leaf: { readonly node: Pick<Node, "length" | "offset"> }
  readonly content: string
}

const commentsOf = (text: string): ReadonlyArray<Edit> => {
  const found: Array<Edit> = []
  visit(text, {
    onComment: (offset, length) => {
      const content = text.startsWith("//", offset) ? `// ${MASK}` : `/* ${MASK} */`
      found.push({ leaf: { node: { offset, length } }, content })
    }
  })
  return found
}

/** Strings of a file that are to be hidden, and numbers where any string would be. */
const secretsOf = (root: Node): ReadonlyArray<Edit> =>
  below(root, [], null, ["string", "number"]).flatMap((leaf) => {
    if (leaf.node.type === "number") {
      return isSecret(leaf.path) || leaf.path.includes("args")
        ? [{ leaf, content: JSON.stringify(MASK) }]
        : []
    }
    const shown = shownInFile(leaf)
    return shown === leaf.value ? [] : [{ leaf, content: JSON.stringify(shown) }]
  })

const edited = (text: string, edits: ReadonlyArray<Edit>): string =>
  edits.toReversed().reduce(
    (left, { content, leaf: { node } }) => left.slice(0, node.offset) + content + left.slice(node.offset + node.length),
    text
  )

/** The value behind a hidden one, as the old text writes it; null when that cannot be told. */
const rawOf = (leaf: Leaf, before: ReadonlyArray<Leaf>): string | null => {
  const alike = before.filter((old) => isSibling(old.path, leaf.path) && shownOf(old) === leaf.value)
  const same = alike.filter(({ path }) => keyOf(path) === keyOf(leaf.path))
  if (typeof leaf.path.at(-1) !== "number") return rawOfOne(same)
  const following = alike.filter((old) => old.before === leaf.before)
  return rawOfOne(following) ?? rawOfOne(same.filter((old) => old.before === leaf.before)) ?? rawOfOne(alike)
}

const isSibling = (one: Path, other: Path): boolean => keyOf(one.slice(0, -1)) === keyOf(other.slice(0, -1))

const rawOfOne = (leaves: ReadonlyArray<Leaf>): string | null => {
  const [raw, ...more] = new Set(leaves.map((leaf) => leaf.raw))
  return raw === undefined || more.length > 0 ? null : raw
}

/** Wherever it stands: a server may have the name of a key. */
const shownInFile = ({ before, path, value }: Pick<Leaf, "before" | "path" | "value">): string => {
  if (isSecret(path)) return valueShown(value)
  return path.includes("args") ? argumentShown(value, before) : addressesShown(value)
}

const isSecret = (path: Path): boolean =>
  path.includes("env") || path.includes("headers") || SECRET_KEY.test(String(path.at(-1)))

const shownOf = ({ before, path, value }: Pick<Leaf, "before" | "path" | "value">): string => {
  const [first] = path
  if (first === "env" || first === "headers") return valueShown(value)
  if (first === "args") return argumentShown(value, before)
  return SECRET_KEY.test(String(path.at(-1))) ? valueShown(value) : addressesShown(value)
}

/** Secrets of `oauth`, and those that keys of other applications hold. */
const SECRET_KEY = /secret|password|private_?key|api_?key|token$/i

/** The name of a variable is no secret; what stands beside it, and its fallback, may be one. */
const valueShown = (value: string): string => {
  const template = Template.parse(value)
  if (value === "" || Result.isFailure(template)) return value === "" ? "" : MASK
  const shown = template.success.map((part) => {
    if (part._tag !== "variable") return SCHEME.test(part.text) ? part.text : MASK
    if (part.fallback === null) return `\${${part.name}}`
    return `\${${part.name}:-${part.fallback.length === 0 ? "" : MASK}}`
  })
  return template.success.some(({ _tag }) => _tag === "variable") ? shown.join("") : MASK
}

/** How credentials begin, and what stands between two variables. */
const SCHEME = /^(?:[A-Za-z]{2,10} |[:/@.-])$/

const SECRET = /^-.*(?:token|key|secret|passw|pwd|auth|credential|header)/i

const argumentShown = (value: string, before: string | null): string => {
  const [, option = "", given] = /^(-[^=\s]*[= ])([^]*)$/.exec(value) ?? []
  if (given !== undefined && SECRET.test(option)) return option + valueShown(given)
  if (!value.startsWith("-") && before !== null && SECRET.test(before) && !before.includes("=")) {
    return valueShown(value)
  }
  const [, name = "", rest] = /^([A-Za-z_][\w-]*[=:]\s*)(\S[^]*)$/.exec(value) ?? []
  if (rest !== undefined && /token|key|secret|passw|pwd|auth/i.test(name) && !rest.startsWith("//")) {
    return name + valueShown(rest)
  }
  return addressesShown(value)
}

/** Hides logins, values of queries and keys in the addresses of a text, and words that are keys. */
const addressesShown = (text: string): string =>
  text.replace(WORD, (word) => isKey(word) ? MASK : word.includes("://") ? addressShown(word) : word)

const WORD = /[^\s"'=,]+(?:=[^\s"',]*)*/g

const addressShown = (address: string): string => {
  const [path = "", ...query] = address.split(/(?=[?#])/)
  const shown = path.replace(/(:\/\/)([^/@]+)(?=@)/, (_, start: string, login: string) => start + valueShown(login))
  const segments = shown.split("/").map((segment) => isKey(segment) ? MASK : segment)
  return segments.join("/") + query.map(queryShown).join("")
}

const queryShown = (part: string): string =>
  part.replace(
    /([?&#][^=&]*=)([^&]+)/g,
    (_, name: string, value: string) =>
      /token|key|secret|passw|pwd|auth|sig/i.test(name) || isKey(value)
        ? name + valueShown(value)
        : name + value
  )

/** How the keys of well-known services begin. A false alarm does no harm here; `KeyShape` of language-models is stricter. */
const KNOWN = new RegExp(
  "^(?:sk[-_]|[pr]k_live_|gh[opsu]_|github_pat_|glpat-|xox[abeprs]-|AIza|gsk_|AKIA|ASIA|hf_|npm_|r8_|pplx-|xai-|tvly-" +
    "|lin_api_|ntn_|secret_|sbp_|dckr_pat_|ctx7sk|shpat_|eyJ[A-Za-z0-9_-]{8,}\\.)[A-Za-z0-9_.-]{8,}$"
)

/** Letters and digits mixed, and nothing that a path, a package or a word would have. */
const RANDOM = /^(?=(?:.*\d){3})(?=(?:.*[a-zA-Z]){3})[a-zA-Z0-9_+/=-]{24,}$/

/** True for a text that looks like a key. A hash of a commit and the like count as one: nothing tells them apart. */
export const isKey = (text: string): boolean =>
  KNOWN.test(text) || RANDOM.test(text) && !text.includes("/") && longestRun(text) >= 16

/** Words joined by dashes are no key. */
const longestRun = (text: string): number => Math.max(...text.split(/[-_+/=]/).map(({ length }) => length))
