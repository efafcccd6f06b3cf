/** Suggestions for a yes that holds for more than one call: the rules that a person is offered, the narrowest first. */
import { Conditions } from "@boocode/toolkit"
import type { Suggestion } from "../model/Part.ts"

/**
 * Suggestions about a call: files of the same folder or pages of the same site, the same values of the arguments that
 * name something, such as a repository, and at last every call of the tool. Each of them covers the call itself.
 */
export const of = (tool: string, given: Conditions.Given): ReadonlyArray<typeof Suggestion.Type> => {
  const texts = Object.entries(given.args).flatMap(([name, value]) =>
    typeof value === "string" ? [{ name, value }] : []
  )
  const places = texts.flatMap(({ name, value }) => {
    const place = PLACING.test(name) ? placeOf(value) : null
    return place === null ? [] : [[name, place] as const]
  })
  const names = texts.filter(({ name, value }) => NAMING.test(name) && NAME.test(value))
    .map(({ name, value }) => [name, value] as const)
  const wheres = [[...places, ...names], places, names].map((some) => Object.fromEntries(some))
    .filter((where) => Object.keys(where).length > 0 && Conditions.unmet(where, given, true) === null)
  return [
    ...distinct(wheres.map((where) => ({ where, text: `${tool} where ${Conditions.describe(where)}` }))),
    { where: null, text: tool }
  ]
}

/** Arguments with such names say where. */
const PLACING =
  /(?:path|file|filename|dir|directory|folder|ur[il]|href|location|address|target)$|^(?:from|to|source|src|destination|dest|cwd)$/i

/** Arguments with such names say what is worked on, rather than what is done to it. */
const NAMING =
  /^(?:owner|repo|repository|project|workspace|organization|org|team|channel|database|table|collection|bucket|account|branch)(?:_?(?:id|name|key))?$/i

const NAME = /^[\w@][\w.@:/ -]{0,99}$/

/** The folder of a path, or the site of an address, as a pattern; null for a text that is neither. */
const placeOf = (text: string): string | null => {
  const place = PLACE.exec(text)?.groups?.["place"]
  if (place === undefined || text.includes("*")) return null
  return place.endsWith("/") || place.endsWith("\\") ? `${place}*` : `${place}/*`
}

const PLACE =
  /^(?<place>https?:\/\/[^/\s?#@]+(?:\/|$)|(?:\/|~\/|[A-Za-z]:[\\/]|\.\/)?(?:[^\s/\\!:*][^/\\*\n]{0,200}[\\/]){1,20})[^\n]{0,300}$/

const distinct = (all: ReadonlyArray<{ readonly where: Conditions.Where; readonly text: string }>) =>
  all.filter(({ text }, index) => all.findIndex((one) => one.text === text) === index)
