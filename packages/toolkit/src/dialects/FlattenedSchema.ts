/** A normalized schema without references and combinators, for dialects that know neither. */
import type * as Schema from "effect/Schema"
import { isObject, objects, own, without } from "../schema/JsonSchema.ts"
import { type Budget, type Losses, under } from "./Conversion.ts"
import * as DialectWords from "./DialectWords.ts"
import { intersection } from "./SchemaIntersection.ts"
import * as ToolSchema from "./ToolSchema.ts"
import { branchesByType, described, different, textOf, type TypeBranches } from "./TypeBranches.ts"

/** A place in a schema, and which references led to it. */
export interface At {
  readonly path: string
  readonly trail: ReadonlyArray<string>
  /** How many schemas it is in. */
  readonly depth: number
}

export const inside = (at: At, ...steps: ReadonlyArray<string>): At => ({
  path: under(at.path, ...steps),
  trail: at.trail,
  depth: at.depth + 1
})

const UNROLLED = 2

/** How many references lead to one place at most. */
const TRAIL = 16

const BRANCHES = 16

export class SchemaFlattener {
  readonly #root: Schema.JsonObject
  readonly #losses: Losses
  readonly #budget: Budget

  constructor(root: Schema.JsonObject, losses: Losses, budget: Budget) {
    this.#root = root
    this.#losses = losses
    this.#budget = budget
  }

  of(schema: Schema.JsonObject, at: At): TypeBranches {
    const [flat, trail] = this.#unfolded(schema, at)
    const [key = "anyOf"] = ["anyOf", "oneOf"].filter((name) => own(flat, name) !== undefined)
    const choice = objects(own(flat, key))
    const inner = { ...at, trail }
    if (choice.length === 0) return branchesByType(this.#plain(flat, inner), trail)
    return isObjectOnly(flat) ? this.#folded(flat, key, choice, inner) : this.#chosen(flat, key, choice, inner)
  }

  /** Without `$ref` and `allOf`. */
  #unfolded(schema: Schema.JsonObject, at: At): readonly [Schema.JsonObject, ReadonlyArray<string>] {
    // The schema itself is bounded already; references may lead on without end.
    if (at.trail.length > 0 && --this.#budget.nodes < 0) {
      this.#losses.add(at.path, "is left out: one of too many")
      return [kindOnly(schema), at.trail]
    }
    const lost = (keyword: string) => this.#losses.add(at.path, `one "${keyword}" of two is left out`)
    const reference = own(schema, "$ref")
    const rest = without(schema, UNFOLDED)
    let trail = at.trail
    let flat = rest
    if (typeof reference === "string") {
      const isDeep = trail.length > TRAIL || trail.filter((step) => step === reference).length >= UNROLLED
      const target = this.#target(reference)
      if (isDeep) this.#losses.add(at.path, `${reference} refers to itself; that is said ${UNROLLED} times`)
      trail = [...trail, reference]
      const [inner, further] = isDeep ? [ended(target), trail] : this.#unfolded(target, { ...at, trail })
      flat = intersection(rest, inner, lost)
      trail = further
    }
    for (const branch of objects(own(schema, "allOf"))) {
      const [inner, further] = this.#unfolded(branch, { ...at, trail })
      flat = intersection(flat, inner, lost)
      trail = further
    }
    // Two choices in one leave one of them in a further `allOf`.
    return [own(flat, "allOf") === undefined ? flat : this.#said(flat, at), trail]
  }

  #said(schema: Schema.JsonObject, at: At): Schema.JsonObject {
    const all = objects(own(schema, "allOf"))
    this.#losses.add(at.path, "a second choice is said in words")
    return DialectWords.saying(
      without(schema, UNFOLDED),
      all.map((branch) => `It also matches ${DialectWords.brief(branch)}.`)
    )
  }

  #target(reference: string): Schema.JsonObject {
    const [, map = "", name = ""] = reference.split("/")
    const found = own(own(this.#root, map), name)
    return isObject(found) ? found : {}
  }

  /** Choices of an object add their properties to it; what they ask for is said in words. */
  #folded(schema: Schema.JsonObject, key: string, choice: ReadonlyArray<Schema.JsonObject>, at: At): TypeBranches {
    const trails = new Set(at.trail)
    const branches = choice.map((branch) => {
      const [flat, trail] = this.#unfolded(branch, at)
      for (const step of trail) trails.add(step)
      return flat
    })
    this.#losses.add(at.path, `"${key}" is said in words`)
    const folded = ToolSchema.legal({ ...schema, [key]: branches })
    return branchesByType(this.#plain(folded, at), [
      ...at.trail,
      ...[...trails].filter((step) => !at.trail.includes(step))
    ])
  }

  #chosen(schema: Schema.JsonObject, key: string, choice: ReadonlyArray<Schema.JsonObject>, at: At): TypeBranches {
    const base = without(schema, new Set([key]))
    const bare = without(base, ANNOTATIONS)
    const lost = (keyword: string) => this.#losses.add(at.path, `one "${keyword}" of two is left out`)
    const possible = choice.filter((branch) => !isImpossible(branch))
    const flattened = (possible.length === 0 ? choice : possible).map((branch) =>
      this.of(intersection(bare, branch, lost), at)
    )
    if (key === "oneOf") this.#losses.add(at.path, `"oneOf" is sent as "anyOf"`)
    const isAny = flattened.some((one) => one.isAny)
    const branches = different(flattened.flatMap(described))
    if (branches.length > BRANCHES) this.#losses.add(at.path, `${BRANCHES} of ${branches.length} kinds are sent`)
    const said = DialectWords.saying(base, ["default", "examples"].flatMap((name) => wordsOf(base, name)))
    return {
      description: textOf(said, "description"),
      isNullable: flattened.some((one) => one.isNullable),
      branches: isAny ? [] : branches.slice(0, BRANCHES),
      isAny,
      rest: {}
    }
  }

  /** Conditions become words of the description; properties that stand in a condition alone become properties. */
  #plain(schema: Schema.JsonObject, at: At): Schema.JsonObject {
    const found = CONDITIONS.filter((key) => own(schema, key) !== undefined)
    if (found.length === 0) return schema
    for (const key of found) this.#losses.add(under(at.path, key), "is said in words")
    const dependent = own(schema, "dependentSchemas")
    const parts = [own(schema, "then"), own(schema, "else"), ...(isObject(dependent) ? Object.values(dependent) : [])]
    const further = Object.fromEntries(parts.flatMap((part) => Object.entries(propertiesOf(part))))
    const plain = DialectWords.saying(
      without(schema, new Set(CONDITIONS)),
      found.flatMap((key) => wordsOf(schema, key))
    )
    if (Object.keys(further).length === 0 || !isObjectOnly(plain)) return plain
    return { ...plain, properties: { ...further, ...propertiesOf(plain) } }
  }
}

const UNFOLDED: ReadonlySet<string> = new Set(["$ref", "allOf", "$defs", "definitions"])
const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples"])
const CONDITIONS = [
  "if",
  "then",
  "else",
  "not",
  "dependentSchemas",
  "dependentRequired",
  "unevaluatedProperties",
  "unevaluatedItems"
]

const wordsOf = (schema: Schema.JsonObject, key: string): ReadonlyArray<string> => {
  const value = own(schema, key)
  return value === undefined ? [] : [DialectWords.of(key, value)]
}

const propertiesOf = (schema: Schema.Json | undefined): Schema.JsonObject => {
  const properties = own(schema, "properties")
  return isObject(properties) ? properties : {}
}

/** Type and description alone, for a schema that has no place. */
const kindOnly = (schema: Schema.JsonObject): Schema.JsonObject => {
  const type = own(schema, "type")
  const description = own(schema, "description")
  return { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }) }
}

/** The schema below the depth of a dialect: one type or any, so that converting it again changes nothing. */
export const bottom = (schema: Schema.JsonObject): Schema.JsonObject => {
  const types = [own(schema, "type") ?? []].flat().filter((type) => type !== "null")
  return types.length === 1 && own(schema, "anyOf") === undefined ? kindOnly(schema) : {}
}

const ended = (target: Schema.JsonObject): Schema.JsonObject =>
  DialectWords.saying(kindOnly(target), ["Nested further in the same way."])

const isObjectOnly = (schema: Schema.JsonObject): boolean =>
  own(schema, "type") === "object" ||
  (own(schema, "type") === undefined && Object.keys(propertiesOf(schema)).length > 0)

/** No value fits `{ "not": {} }`; generators write it for a property that may be absent. */
const isImpossible = (branch: Schema.JsonObject): boolean => {
  const not = own(branch, "not")
  return isObject(not) && Object.keys(not).length === 0
}
