/** The entry that a candidate becomes once its inputs have values, and the values that an entry already has. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ServerName from "../model/ServerName.ts"
import * as Template from "../text/Template.ts"
import type { Candidate, Recipe, Setting } from "./Candidate.ts"
import type { Gapped, PublishedInput } from "./InputSpec.ts"

/** Values by the key of their input; several for an input that is repeated. */
export type InputValues = Readonly<Record<string, string | ReadonlyArray<string>>>

/** A problem with one input. */
export interface InputProblem {
  readonly key: string
  readonly message: string
}

/** How an entry is written. */
export interface EntryOptions {
  /** `io.github.user/weather@1.2.3`, kept as `from`. */
  readonly from: string
  /** The variable that stands for the value of a secret; null keeps the value in the entry. */
  readonly secret: (input: PublishedInput, value: string) => string | null
  /** Values as an entry has them already, variables and all; they stand for inputs that get no other value. */
  readonly kept?: InputValues
}

const MOST_CHARACTERS = 20_000

/** Checks the values; fails with every input that is missing or wrong, and with every key that names none. */
export const check = (
  { inputs }: Candidate,
  values: InputValues,
  kept: InputValues = {}
): Result.Result<InputValues, ReadonlyArray<InputProblem>> => {
  const unknown = Object.keys(values).filter((key) => !inputs.some((input) => input.key === key))
  const problems = [
    ...unknown.map((key) => ({ key, message: "there is no such input" })),
    ...inputs.flatMap((input) => {
      const given = listOf(values, input.key)
      if (given.length === 0) return isCovered(input, kept) ? [] : [{ key: input.key, message: "a value is needed" }]
      const wrong = given.length > 1 && !input.isRepeated
        ? "it takes one value"
        : given.map((value) => fault(input, value)).find((one) => one !== null)
      return wrong === null || wrong === undefined ? [] : [{ key: input.key, message: wrong }]
    })
  ]
  return problems.length === 0 ? Result.succeed(values) : Result.fail(problems)
}

const isCovered = ({ default: standard, isRequired, key }: PublishedInput, kept: InputValues): boolean =>
  !isRequired || standard !== null || listOf(kept, key).length > 0

/** The values of a key; an empty text is none. */
const listOf = (values: InputValues, key: string): ReadonlyArray<string> => {
  const value = Object.hasOwn(values, key) ? values[key] : undefined
  const list = typeof value === "string" ? [value] : value ?? []
  return list.filter((one) => one !== "")
}

/** Why a value does not fit; null when it does. */
export const fault = ({ choices, format, place }: PublishedInput, value: string): string | null => {
  if (value.length > MOST_CHARACTERS) return `it has more than ${MOST_CHARACTERS} characters`
  // A key in PEM has several lines.
  const line = place === "environment" ? value.replaceAll(/\r?\n/g, " ") : value
  if (!ServerName.isPlain(line)) return "it holds line breaks, control characters or marks of direction"
  if (isReference(value)) return null
  if (choices !== null && !choices.includes(value)) return `it is one of ${choices.join(", ")}`
  return format === "number" && !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? "it is a number" : null
}

/** `${NAME}` alone names a variable; it is kept as one. */
const isReference = (value: string): boolean => /^\$\{[A-Za-z_]\w*\}$/.test(value)

/** The entry. The values must have passed `check`. Fails with why the address of a remote comes to none. */
export const make = (
  candidate: Candidate,
  values: InputValues,
  options: EntryOptions
): Result.Result<Schema.JsonObject, string> =>
  Result.flatMap(candidate.recipe, (recipe) => {
    const texts = new Map(candidate.inputs.map((input) => [input.key, textsOf(input, values, options)] as const))
    return Result.map(
      recipe._tag === "program" ? Result.succeed(started(recipe, texts)) : reached(recipe, texts),
      (entry) => ({ ...entry, from: options.from })
    )
  })

type Texts = ReadonlyMap<string, ReadonlyArray<Template.Template>>

const textsOf = (input: PublishedInput, values: InputValues, { kept = {}, secret }: EntryOptions) => {
  const given = listOf(values, input.key)
  if (given.length > 0) return given.map((value) => isReference(value) ? written(value) : typed(input, value, secret))
  const before = listOf(kept, input.key)
  if (before.length > 0) return before.map(written)
  return input.default === null ? [] : [[Template.text(input.default)]]
}

const typed = (input: PublishedInput, value: string, secret: EntryOptions["secret"]): Template.Template => {
  const variable = input.isSecret ? secret(input, value) : null
  return [variable === null ? Template.text(value) : Template.variable(variable)]
}

const written = (text: string): Template.Template => Result.getOrElse(Template.parse(text), () => [Template.text(text)])

/**
 * The text with its gaps filled, `at` saying which of several values; null when a gap has no value. Only what a person gave
 * names a variable: what the document says is text, also where it meets a value.
 */
const filled = (value: Gapped, texts: Texts, at = 0): string | null => {
  const pieces = value.map((piece) => "gap" in piece ? texts.get(piece.gap)?.[at] : [Template.text(piece.text)])
  return pieces.every((piece) => piece !== undefined) ? Template.print(Template.joined(pieces.flat())) : null
}

const timesOf = (tokens: ReadonlyArray<Gapped>, texts: Texts): number =>
  Math.max(1, ...tokens.flat().flatMap((piece) => "gap" in piece ? texts.get(piece.gap)?.length ?? 0 : []))

const started = ({ args, command, env }: Extract<Recipe, { _tag: "program" }>, texts: Texts): Schema.JsonObject => {
  const words = args.flatMap(({ tokens }) =>
    Array.from({ length: timesOf(tokens, texts) }, (_, at) => tokens.map((token) => filled(token, texts, at)))
      .flatMap((all) => all.every((word) => word !== null) ? all : [])
  )
  const variables = settingsOf(env, texts)
  return { command, args: words, ...(Object.keys(variables).length === 0 ? {} : { env: variables }) }
}

const settingsOf = (settings: ReadonlyArray<Setting>, texts: Texts): Readonly<Record<string, string>> =>
  Object.fromEntries(settings.flatMap(({ name, value }) => {
    const text = filled(value, texts)
    return text === null ? [] : [[name, text] as const]
  }))

const reached = (
  { headers, type, url }: Extract<Recipe, { _tag: "address" }>,
  texts: Texts
): Result.Result<Schema.JsonObject, string> => {
  const address = filled(url, texts)
  if (address === null) return Result.fail("its address has a gap without a value")
  const parsed = URL.parse(address.replaceAll(/\$\{\w+\}/g, "x"))
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    return Result.fail("with these values its address does not begin with https: or http:")
  }
  const values = settingsOf(headers, texts)
  return Result.succeed({ type, url: address, ...(Object.keys(values).length === 0 ? {} : { headers: values }) })
}

/** The values that an entry has for the inputs of a candidate, as they are written there; none where it does not fit. */
export const valuesIn = (candidate: Candidate, entry: Schema.JsonObject): InputValues => {
  const { recipe } = candidate
  if (Result.isFailure(recipe)) return {}
  const found = recipe.success._tag === "program"
    ? [
      ...fromSettings(recipe.success.env, entry["env"]),
      ...fromArguments(candidate, recipe.success, entry["args"])
    ]
    : [
      ...fromSettings(recipe.success.headers, entry["headers"]),
      ...(typeof entry["url"] === "string" ? matched(recipe.success.url, entry["url"]) ?? [] : [])
    ]
  const grouped = Map.groupBy(found, ([key]) => key)
  return Object.fromEntries([...grouped].map(([key, all]) => [key, all.map(([, value]) => value)]))
}

type Found = ReadonlyArray<readonly [key: string, value: string]>

const fromSettings = (settings: ReadonlyArray<Setting>, written: Schema.Json | undefined): Found => {
  if (typeof written !== "object" || written === null || Array.isArray(written)) return []
  const texts = new Map(Object.entries(written))
  return settings.flatMap(({ name, value }) => {
    const text = texts.get(name)
    return typeof text === "string" ? matched(value, text) ?? [] : []
  })
}

/** Walks along the words of the entry, and leaves out what it lacks. The package may have another version there. */
const fromArguments = (
  { inputs }: Candidate,
  { args }: Extract<Recipe, { _tag: "program" }>,
  written: Schema.Json | undefined
): Found => {
  const words = Array.isArray(written) ? written.filter((one: Schema.Json) => typeof one === "string") : []
  const repeated = new Set(inputs.filter(({ isRepeated }) => isRepeated).map(({ key }) => key))
  const found: Array<readonly [string, string]> = []
  let at = 0
  for (const { tokens } of args) {
    const mayRepeat = tokens.flat().some((piece) => "gap" in piece && repeated.has(piece.gap))
    for (let times = 0; times === 0 || mayRepeat; times++) {
      const here = tokens.map((token, next) => matched(token, words[at + next]))
      if (here.some((one) => one === null)) break
      found.push(...here.flatMap((one) => one ?? []))
      at += tokens.length
    }
    if (isSameUpToVersion(tokens[0], words[at])) at += 1
  }
  return found
}

const isSameUpToVersion = (token: Gapped | undefined, word: string | undefined): boolean => {
  const [piece, ...more] = token ?? []
  if (piece === undefined || "gap" in piece || more.length > 0 || word === undefined) return false
  return withoutVersion(piece.text) === withoutVersion(word)
}

const withoutVersion = (text: string): string =>
  text.replace(/@sha256:[0-9a-f]+$/, "").replace(/(?<=[^/])(?:@|==|:)[^@/]*$/, "")

/** The values in a text that stand in the gaps of another; null when the rest differs. Takes linear time. */
const matched = (value: Gapped, text: string | undefined): Found | null => {
  if (text === undefined) return null
  const found: Array<readonly [string, string]> = []
  let at = 0
  let gap: string | null = null
  for (const [index, piece] of value.entries()) {
    if ("gap" in piece) {
      if (gap !== null) return null
      gap = piece.gap
      continue
    }
    const fixed = Template.print([Template.text(piece.text)])
    const isLast = index === value.length - 1
    const next = gap === null ? at : isLast ? text.length - fixed.length : text.indexOf(fixed, at + 1)
    if (next < at || !text.startsWith(fixed, next)) return null
    if (gap !== null) found.push([gap, text.slice(at, next)])
    gap = null
    at = next + fixed.length
  }
  if (gap !== null) return [...found, [gap, text.slice(at)]]
  return at === text.length ? found : null
}
