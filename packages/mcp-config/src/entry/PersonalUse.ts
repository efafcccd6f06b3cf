/** The values of each person that an entry uses: `${user:NAME}` in env, headers and url, `${workspace}` in args, cwd and env. */
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { PersonalEntry } from "../model/Configuration.ts"
import type { Declaration } from "../model/ServerEntry.ts"
import type { Written } from "../text/Field.ts"
import * as Template from "../text/Template.ts"

/** A server of one person sleeps after so long without a call, unless its entry says otherwise. */
export const IDLE = Duration.minutes(10)

/** Stands for any value where an entry is checked before anybody has given one: it may be an address, a header or a text. */
export const EXAMPLE = "https://user.example"

/** Such a value for each name. */
export const examples = ({ names }: Pick<PersonalEntry, "names">) =>
  Object.fromEntries(names.map((name) => [name, Redacted.make(EXAMPLE)]))

/** Null for an entry that is the same for all. */
export const of = ({ transport }: Declaration): Pick<PersonalEntry, "names" | "needed" | "amongSeveral"> | null => {
  const used = placesOf(transport).flatMap(({ text }) => variablesIn(text))
  const login = transport._tag !== "stdio" && typeof transport.oauth === "object" && transport.oauth.login === "user"
  const always = used.length > 0 || login
  return !always && !folderTexts(transport).some(namesWorkspace) ? null : {
    names: sortedNames(used),
    needed: sortedNames(used.filter(({ isNeeded }) => isNeeded)),
    amongSeveral: !always
  }
}

/** The texts that hold a value of a person where all people share one: they decide which program runs, or how it is talked to. */
export const misplaced = ({ options, transport }: Declaration): ReadonlyArray<Written> => {
  const roots = typeof options.roots === "boolean" || options.roots === null ? [] : options.roots
  return [...commonTexts(transport), ...roots].filter(({ text }) => variablesIn(text).length > 0)
}

/** The texts that name the folder of each person where all people share one. */
export const misplacedFolder = ({ options, transport }: Declaration): ReadonlyArray<Written> => {
  const roots = typeof options.roots === "boolean" || options.roots === null ? [] : options.roots
  const others = transport._tag === "stdio"
    ? [transport.command, transport.envFile].filter((written) => written !== null)
    : [...placesOf(transport), ...commonTexts(transport)]
  return [...others, ...roots].filter(namesWorkspace)
}

const folderTexts = (transport: Declaration["transport"]): ReadonlyArray<Written> => {
  if (transport._tag !== "stdio") return []
  return [...transport.args, ...transport.cwd === null ? [] : [transport.cwd], ...placesOf(transport)]
}

const namesWorkspace = ({ text }: Written): boolean =>
  text.includes(`\${${Template.WORKSPACE}`) &&
  Result.match(Template.parse(text), {
    onFailure: () => false,
    onSuccess: (template) => allIn(template).includes(Template.WORKSPACE)
  })

const placesOf = (transport: Declaration["transport"]): ReadonlyArray<Written> =>
  transport._tag === "stdio"
    ? transport.env.map(([, written]) => written)
    : [transport.url, ...transport.headers.map(([, written]) => written)]

const commonTexts = (transport: Declaration["transport"]): ReadonlyArray<Written> => {
  if (transport._tag === "stdio") {
    const { args, command, cwd, envFile } = transport
    return [command, ...args, cwd, envFile].filter((written) => written !== null)
  }
  const { headersHelper, oauth } = transport
  const texts = typeof oauth === "object" ? [...oauth.texts.map(([, written]) => written), ...oauth.scopes ?? []] : []
  return headersHelper === null ? texts : [headersHelper, ...texts]
}

interface Used {
  readonly name: string
  /** Whether there is no default. */
  readonly isNeeded: boolean
}

const MARK = `\${${Template.PERSONAL}`

/**
 * Whether a person decides to which host a server's requests go: then they go to public addresses only, as those of entries
 * that come over HTTP do.
 */
export const choosesHost = ({ transport }: Declaration): boolean => {
  if (transport._tag === "stdio") return false
  const { text } = transport.url
  const [scheme = ""] = /^https?:\/\//i.exec(text) ?? []
  const rest = text.slice(scheme.length)
  return (scheme === "" ? rest : rest.split(/[/?#]/)[0] ?? "").includes(MARK)
}

const variablesIn = (text: string): ReadonlyArray<Used> =>
  !text.includes(MARK) ? [] : Result.match(Template.parse(text), { onFailure: () => [], onSuccess: usedIn })

const allIn = (template: Template.Template): ReadonlyArray<string> =>
  template.flatMap((part) =>
    part._tag === "variable" ? [part.name, ...part.fallback === null ? [] : allIn(part.fallback)] : []
  )

const usedIn = (template: Template.Template): ReadonlyArray<Used> =>
  template.flatMap((part) => {
    if (part._tag !== "variable") return []
    const { fallback, name } = part
    const own = Template.isPersonal(name)
      ? [{ name: name.slice(Template.PERSONAL.length), isNeeded: fallback === null }]
      : []
    return [...own, ...fallback === null ? [] : usedIn(fallback)]
  })

const sortedNames = (used: ReadonlyArray<Used>): ReadonlyArray<string> =>
  [
    ...new Set(used.map(({ name }) => name))
  ].sort()
