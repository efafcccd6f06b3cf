/** The key `for` of servers, agents and models names the people they are for. The one place that decides who sees what. */
import * as Result from "effect/Result"
import * as Field from "../text/Field.ts"

/** The people who see something, each word one role, group or person. Null is everyone. */
export type Audience = ReadonlyArray<string> | null

/** The facts about a person that decide. */
export interface Viewer {
  readonly name: string
  readonly role: "admin" | "member"
  readonly groups: ReadonlyArray<string>
}

const ADMINS = "admins"
const GROUP = "group:"

/** Whether a person is in an audience: an admin for `admins`, a member of the group for `group:NAME`, or who has that name. */
export const admits = (audience: Audience, { groups, name, role }: Viewer): boolean =>
  audience === null || audience.some((word) => {
    if (word === ADMINS) return role === "admin"
    return word.startsWith(GROUP)
      ? groups.includes(word.slice(GROUP.length))
      : word.toLowerCase() === name.toLowerCase()
  })

/** Why a word names nobody, and what to write; null for one that may name somebody. */
export const wrong = (word: string): Pick<Field.Trouble, "detail" | "hint"> | null => {
  const found = JSON.stringify(word)
  const [before = "", group = ""] = word.split(/:(.*)/s)
  if (word.trim() === "" || word.endsWith(":")) return { detail: `${found} names nobody`, hint: HINT }
  if (word.includes(":") && before !== "group") {
    return { detail: `${found} is no group`, hint: `write "${GROUP}${group}"` }
  }
  // `*` would be a name that nobody has.
  if (word === "*") return { detail: `${found} is no name`, hint: "leave the key out for everyone" }
  return word !== ADMINS && LIKE_ADMINS.test(word)
    ? { detail: `${found} is no role`, hint: `did you mean "${ADMINS}"?` }
    : null
}

const HINT = `write "${ADMINS}", "${GROUP}NAME" or the name of a person`

const LIKE_ADMINS = /^admin(s|istrators?)?$/i

/** Why a list is no audience; `index` is that of the word which is wrong, null for the whole. */
export const problem = (
  words: ReadonlyArray<string>
): (Pick<Field.Trouble, "detail" | "hint"> & { readonly index: number | null }) | null => {
  if (words.length === 0) {
    return { index: null, detail: "an empty list is for nobody", hint: `leave the key out for everyone, or ${HINT}` }
  }
  const index = words.findIndex((word) => wrong(word) !== null)
  const why = wrong(words[index] ?? ADMINS)
  return why === null ? null : { index, ...why }
}

/** A list of words, or one alone. */
export const kind: Field.Kind<Audience> = {
  encode: (audience) => audience === null ? null : [...audience],
  decode: (node, key) =>
    Result.flatMap(Field.names.decode(node, key), (words): Result.Result<Audience, Field.Trouble> => {
      const why = problem(words)
      if (why === null) return Result.succeed(words)
      const { detail, hint, index } = why
      return index === null || node.type !== "array"
        ? Result.fail({ at: node.at, key, detail, hint })
        : Result.fail({ at: node.items[index]?.at ?? node.at, key: `${key}[${index}]`, detail, hint })
    })
}
