/**
 * Regular expressions whose search takes time linear in the text, whatever the pattern. The engine's own ones can take
 * exponential time, and a pattern that a model writes must not stop the server.
 */
import * as Result from "effect/Result"

/** A compiled pattern. @category models */
export interface LinearRegExp {
  /** Whether the pattern matches anywhere in one line. */
  readonly test: (line: string) => boolean
}

/**
 * Compiles JavaScript syntax without back references, look-around and `\p{}`: those have no linear search. `^` and `$`
 * are the ends of the line. Groups and lazy quantifiers are read; they do not change whether a line matches. Fails in
 * words for wrong syntax, for what is left out, and for a pattern of more than 1,000 characters, or of more than 2,000
 * steps after counting repetitions.
 *
 * @category constructors
 */
export const make = (pattern: string, ignoreCase: boolean): Result.Result<LinearRegExp, string> =>
  checkSyntax(pattern).pipe(
    Result.flatMap(() => parse(pattern)),
    Result.flatMap((node) => {
      const program = compile(node, ignoreCase ? "is" : "s")
      return program === null
        ? Result.fail(`the pattern is too large: at most ${MAX_STEPS} steps after counting repetitions`)
        : Result.succeed({ test: (line: string) => run(program, line) })
    })
  )

const MAX_STEPS = 2000
const MAX_CHARACTERS = 1000

const checkSyntax = (pattern: string): Result.Result<RegExp, string> =>
  pattern.length > MAX_CHARACTERS
    ? Result.fail(`the pattern is too large: at most ${MAX_CHARACTERS} characters`)
    : Result.try({
      try: () => new RegExp(pattern),
      catch: (error) => error instanceof Error ? error.message : String(error)
    })

type Node =
  | { readonly type: "atom"; readonly source: string }
  | { readonly type: "assert"; readonly kind: Assertion }
  | { readonly type: "sequence"; readonly nodes: ReadonlyArray<Node> }
  | { readonly type: "choice"; readonly nodes: ReadonlyArray<Node> }
  | { readonly type: "repeat"; readonly node: Node; readonly min: number; readonly max: number }

type Assertion = "start" | "end" | "boundary" | "inside"

const ASSERTIONS: Readonly<Record<string, Assertion>> = { "^": "start", "$": "end", "\\b": "boundary", "\\B": "inside" }

// One token at a time; the engine has already said that the whole is legal, so what is not special is a literal.
const TOKEN =
  /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?::|<?[=!]|<[^>]*>))?|[)|^$]|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/y

interface Cursor {
  readonly tokens: ReadonlyArray<string>
  index: number
}

const parse = (pattern: string): Result.Result<Node, string> => {
  const tokens = pattern.match(new RegExp(TOKEN.source, "g")) ?? []
  const left = tokens.find((token) => /^(\(\?<?[=!]|\\[1-9kpP])/.test(token))
  if (left !== undefined) {
    return Result.fail(
      `${left} is not supported: back references, look-around and \\p{} cannot be searched in linear time`
    )
  }
  return Result.succeed(parseChoice({ tokens, index: 0 }))
}

const parseChoice = (cursor: Cursor): Node => {
  const nodes = [parseSequence(cursor)]
  while (cursor.tokens[cursor.index] === "|") {
    cursor.index += 1
    nodes.push(parseSequence(cursor))
  }
  return { type: "choice", nodes }
}

const parseSequence = (cursor: Cursor): Node => {
  const nodes: Array<Node> = []
  for (;;) {
    const token = cursor.tokens[cursor.index]
    if (token === undefined || token === "|" || token === ")") return { type: "sequence", nodes }
    nodes.push(parseRepeated(cursor, token))
  }
}

const parseRepeated = (cursor: Cursor, token: string): Node => {
  let node = parseSingle(cursor, token)
  for (;;) {
    const range = quantifier(cursor.tokens[cursor.index])
    if (range === null) return node
    cursor.index += 1
    node = { type: "repeat", node, ...range }
  }
}

const parseSingle = (cursor: Cursor, token: string): Node => {
  cursor.index += 1
  if (token.startsWith("(")) {
    const node = parseChoice(cursor)
    cursor.index += 1
    return node
  }
  const kind = ASSERTIONS[token]
  return kind === undefined ? { type: "atom", source: token } : { type: "assert", kind }
}

const quantifier = (token: string | undefined): { readonly min: number; readonly max: number } | null => {
  const [, sign, min, comma, max] = /^(?:([*+?])|\{(\d+)(,)?(\d*)\})\??$/.exec(token ?? "") ?? []
  if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity }
  if (min === undefined) return null
  const most = comma === undefined ? Number(min) : max === "" || max === undefined ? Infinity : Number(max)
  return { min: Number(min), max: most }
}

type Step =
  | { readonly op: "char"; readonly matches: (unit: number) => boolean }
  | { readonly op: "assert"; readonly kind: Assertion }
  | { readonly op: "split"; readonly one: number; readonly other: number }
  | { readonly op: "match" }

/** Thompson's construction; null when it grows beyond the limit. */
const compile = (node: Node, flags: string): ReadonlyArray<Step> | null => {
  const steps: Array<Step> = []
  let visits = 0
  const add = (current: Node): boolean => {
    // Visits count too: an empty group repeated a million times adds no step.
    visits += 1
    if (steps.length > MAX_STEPS || visits > 10 * MAX_STEPS) return false
    switch (current.type) {
      case "atom":
        steps.push({ op: "char", matches: unitTest(current.source, flags) })
        return true
      case "assert":
        steps.push({ op: "assert", kind: current.kind })
        return true
      case "sequence":
        return current.nodes.every(add)
      case "choice":
        return addChoice(current.nodes)
      case "repeat":
        return addRepeat(current)
    }
  }
  const addChoice = (nodes: ReadonlyArray<Node>): boolean => {
    const jumps: Array<number> = []
    for (const [index, one] of nodes.entries()) {
      const split = steps.length
      if (index < nodes.length - 1) steps.push({ op: "match" })
      if (!add(one)) return false
      if (index === nodes.length - 1) break
      jumps.push(steps.length)
      steps.push({ op: "match" })
      steps[split] = { op: "split", one: split + 1, other: steps.length }
    }
    for (const jump of jumps) steps[jump] = { op: "split", one: steps.length, other: steps.length }
    return true
  }
  const addRepeat = ({ max, min, node: inner }: Extract<Node, { type: "repeat" }>): boolean => {
    for (let count = 0; count < min; count++) if (!add(inner)) return false
    if (max === Infinity) {
      const split = steps.length
      steps.push({ op: "match" })
      if (!add(inner)) return false
      steps.push({ op: "split", one: split, other: split })
      steps[split] = { op: "split", one: split + 1, other: steps.length }
      return true
    }
    for (let count = min; count < max; count++) {
      const split = steps.length
      steps.push({ op: "match" })
      if (!add(inner)) return false
      steps[split] = { op: "split", one: split + 1, other: steps.length }
    }
    return true
  }
  if (!add(node)) return null
  steps.push({ op: "match" })
  return steps
}

/** The engine decides about single characters, so that classes, escapes and case mean what they always mean. */
const unitTest = (source: string, flags: string): (unit: number) => boolean => {
  const regExp = new RegExp(`^(?:${LITERAL.test(source) ? `\\${source}` : source})$`, flags.replace("s", ""))
  const known = new Map<number, boolean>()
  return (unit) => {
    const before = known.get(unit)
    if (before !== undefined) return before
    const result = regExp.test(String.fromCharCode(unit))
    known.set(unit, result)
    return result
  }
}

// Legal as literals only where the engine let them stand alone.
const LITERAL = /^[\]{}]$/

const run = (program: ReadonlyArray<Step>, line: string): boolean => {
  let current: Array<number> = []
  let next: Array<number> = []
  const seen = new Int32Array(program.length).fill(-1)
  for (let position = 0; position <= line.length; position++) {
    // Starting anew at every position searches everywhere at once.
    if (reach(program, 0, line, position, current, seen)) return true
    const unit = line.charCodeAt(position)
    if (position === line.length) return false
    for (const index of current) {
      const step = program[index]
      if (step?.op === "char" && step.matches(unit) && reach(program, index + 1, line, position + 1, next, seen)) {
        return true
      }
    }
    ;[current, next] = [next, current]
    next.length = 0
  }
  return false
}

/** Adds every step that can be reached without reading a character; tells whether one of them is the end. */
const reach = (
  program: ReadonlyArray<Step>,
  from: number,
  line: string,
  position: number,
  into: Array<number>,
  seen: Int32Array
): boolean => {
  const pending = [from]
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (seen[index] === position) continue
    seen[index] = position
    const step = program[index]
    if (step === undefined || step.op === "match") return true
    if (step.op === "char") into.push(index)
    else if (step.op === "split") pending.push(step.other, step.one)
    else if (holds(step.kind, line, position)) pending.push(index + 1)
  }
  return false
}

const holds = (kind: Assertion, line: string, position: number): boolean => {
  if (kind === "start") return position === 0
  if (kind === "end") return position === line.length
  const boundary = isWord(line, position - 1) !== isWord(line, position)
  return boundary === (kind === "boundary")
}

const isWord = (line: string, position: number): boolean => /\w/.test(line.charAt(position))
