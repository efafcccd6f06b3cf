/** Which errors of a union are worth telling: those of the one branch that was meant, or that no branch matched. Pure. */
import type { ErrorObject } from "ajv"
import type * as Schema from "effect/Schema"
import { referred } from "../schema/JsonSchema.ts"

/**
 * The errors without those of branches that were not meant. The branch that was meant is the only one that takes this
 * kind of value, or the one whose constants fit best; a union without such a branch keeps its own error alone. `root`
 * is the schema.
 */
export const meant = (errors: ReadonlyArray<ErrorObject>, root: Schema.JsonObject): ReadonlyArray<ErrorObject> => {
  const hidden = new Set<ErrorObject>()
  // The error of a union stands behind those of its branches, so outer unions come first.
  for (const union of errors.toReversed()) {
    if (!UNIONS.has(union.keyword) || hidden.has(union)) continue
    const branches = branchesOf(union, root)
    const before = errors.slice(0, errors.indexOf(union)).filter((error) => isWithin(error, union))
    const inner = branches.length > BRANCHES
      ? before
      : before.filter((error) => branches.some((parts) => parts.has(error.parentSchema)))
    const chosen = branches.length > BRANCHES
      ? []
      : branchMeant(union, branches.map((parts) => inner.filter((error) => parts.has(error.parentSchema))))
    for (const error of inner) if (!chosen.includes(error)) hidden.add(error)
    if (chosen.length > 0) hidden.add(union)
  }
  return errors.filter((error) => !hidden.has(error))
}

const UNIONS: ReadonlySet<string> = new Set(["anyOf", "oneOf"])
const VALUES: ReadonlySet<string> = new Set(["const", "enum"])
const PARTS = 500
const BRANCHES = 20

const isWithin = ({ instancePath }: ErrorObject, union: ErrorObject): boolean =>
  instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`)

const branchesOf = ({ schema }: ErrorObject, root: Schema.JsonObject): ReadonlyArray<ReadonlySet<unknown>> =>
  Array.isArray(schema) ? schema.slice(0, BRANCHES + 1).map((branch: unknown) => partsOf(branch, root)) : []

/** Everything a branch may check with, as the objects by which errors name it. */
const partsOf = (branch: unknown, root: Schema.JsonObject): ReadonlySet<unknown> => {
  const parts = new Set<unknown>()
  const todo: Array<unknown> = [branch]
  for (let part = todo.pop(); part !== undefined && parts.size < PARTS; part = todo.pop()) {
    if (typeof part !== "object" || part === null || parts.has(part)) continue
    parts.add(part)
    todo.push(...Object.values(part))
    if ("$ref" in part && typeof part.$ref === "string") todo.push(referred(root, part.$ref))
  }
  return parts
}

const branchMeant = (
  union: ErrorObject,
  branches: ReadonlyArray<ReadonlyArray<ErrorObject>>
): ReadonlyArray<ErrorObject> => {
  const fitting = branches.filter((errors) => errors.length > 0 && !errors.some((error) => isOfKind(error, union)))
  const ranked = fitting.map((errors) => ({ errors, rank: misfit(errors, union) })).sort((a, b) => a.rank - b.rank)
  const [best, next] = ranked
  return best !== undefined && (next === undefined || best.rank < next.rank) ? best.errors : []
}

const isOfKind = ({ instancePath, keyword }: ErrorObject, union: ErrorObject): boolean =>
  instancePath === union.instancePath && (keyword === "type" || VALUES.has(keyword) || UNIONS.has(keyword))

const misfit = (errors: ReadonlyArray<ErrorObject>, union: ErrorObject): number => {
  const depth = union.instancePath.split("/").length + 1
  const isTag = ({ instancePath, keyword }: ErrorObject) =>
    VALUES.has(keyword) && instancePath.split("/").length === depth
  return errors.length + 100 * errors.filter(isTag).length
}
