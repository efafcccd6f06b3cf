/** The changes of a call to a text: the lines that go and come, each with two lines around it. */
import type * as Schema from "effect/Schema"
import { indented, type Paint } from "../terminal/Output.ts"

/** The text that a call would leave, as far as its arguments tell: a whole content, or edits. Null when they do not. */
export const after = (before: string, args: Schema.JsonObject): string | null => {
  if (typeof args["content"] === "string") return args["content"]
  const edits = Array.isArray(args["edits"]) ? args["edits"] : [args]
  return edits.reduce<string | null>((text, edit) => text === null ? null : edited(text, edit), before)
}

/** The arguments without those that the difference shows. */
export const rest = (args: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !SHOWN.has(name)))

const SHOWN: ReadonlySet<string> = new Set(["content", "edits", "oldText", "newText", "count"])

const edited = (text: string, edit: Schema.Json): string | null => {
  if (typeof edit !== "object" || edit === null || Array.isArray(edit)) return null
  const { count, newText, oldText } = Object.fromEntries(Object.entries(edit))
  if (typeof oldText !== "string" || typeof newText !== "string" || !text.includes(oldText)) return null
  return typeof count === "number" && count > 1
    ? text.replaceAll(oldText, () => newText)
    : text.replace(oldText, () => newText)
}

/** Lines with `-` and `+`; empty when nothing changes. */
export const lines = (before: string, now: string, paint: Paint): ReadonlyArray<string> => {
  const steps = stepsOf(linesOf(before), linesOf(now))
  const near = steps.map((_, at) =>
    steps.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ mark }) => mark !== " ")
  )
  return steps.flatMap(({ line, mark }, at) => {
    if (near[at] !== true) return near[at - 1] === true ? [paint.dim("    …")] : []
    const [shown = ""] = indented(line, `    ${mark} `)
    return [mark === "-" ? paint.bad(shown) : mark === "+" ? paint.good(shown) : paint.dim(shown)]
  })
}

const AROUND = 2

interface Step {
  readonly mark: " " | "-" | "+"
  readonly line: string
}

const linesOf = (text: string): ReadonlyArray<string> => text === "" ? [] : text.replace(/\n$/, "").split("\n")

const marked = (mark: Step["mark"]) => (line: string): Step => ({ mark, line })

/** The common beginning and end stay; of the middle the longest run of common lines, unless it is too long to look for. */
const stepsOf = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Step> => {
  const differs = (line: string, at: number) => line !== now[at]
  const head = lengthUntil(old.findIndex(differs), Math.min(old.length, now.length))
  const [oldRest, nowRest] = [old.slice(head), now.slice(head)]
  const tail = lengthUntil(
    oldRest.toReversed().findIndex((line, at) => line !== nowRest[nowRest.length - 1 - at]),
    Math.min(oldRest.length, nowRest.length)
  )
  return [
    ...old.slice(0, head).map(marked(" ")),
    ...middle(oldRest.slice(0, oldRest.length - tail), nowRest.slice(0, nowRest.length - tail)),
    ...oldRest.slice(oldRest.length - tail).map(marked(" "))
  ]
}

const lengthUntil = (found: number, most: number): number => found < 0 ? most : Math.min(found, most)

const MOST_PAIRS = 1_000_000

const middle = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Step> => {
  if (old.length * now.length > MOST_PAIRS) return [...old.map(marked("-")), ...now.map(marked("+"))]
  const wide = now.length + 1
  const common = new Uint32Array((old.length + 1) * wide)
  const at = (i: number, j: number) => common[i * wide + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * wide + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const steps: Array<Step> = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      steps.push({ mark: " ", line: old[i++] ?? "" })
      j++
    } else if (j >= now.length || i < old.length && at(i + 1, j) >= at(i, j + 1)) {
      steps.push({ mark: "-", line: old[i++] ?? "" })
    } else steps.push({ mark: "+", line: now[j++] ?? "" })
  }
  return steps
}
