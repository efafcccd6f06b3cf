/**
 * What a new reading of the files means for a configuration that is in use: what is kept, and whether anything is new.
 */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type { Content } from "./ConfigFile.ts"
import type { Configuration } from "./Configuration.ts"

/**
 * Puts what is known of a file in the place of what cannot be used: a file with a mistake in it changes nothing, and its
 * source says what the mistake is. A file that is gone is gone.
 *
 * @category combinators
 */
export const keep = (before: ReadonlyArray<Content>, now: ReadonlyArray<Content>): ReadonlyArray<Content> =>
  now.map((content) => {
    const { source } = content
    const last = source?.state === "invalid" ? find(before, source.file) : undefined
    return source === null || !isUsed(last) ? content : { ...last, source: { ...source, state: "kept" } }
  })

/**
 * True when a file became worse than it was. It may be in the middle of being written, so it deserves a second look.
 *
 * @category predicates
 */
export const isBadNews = (before: ReadonlyArray<Content>, now: ReadonlyArray<Content>): boolean =>
  now.some(({ source }) => {
    if (source === null) return false
    const last = find(before, source.file)
    if (source.state === "absent") return isUsed(last)
    return source.error !== null && source.error.message !== last?.source?.error?.message
  })

/**
 * True when two configurations say the same, down to the last warning; secrets are compared by value.
 *
 * @category predicates
 */
export const isSame = (one: Configuration, other: Configuration): boolean => Equal.equals(told(one), told(other))

const find = (contents: ReadonlyArray<Content>, file: string): Content | undefined =>
  contents.find(({ source }) => source?.file === file)

const isUsed = (content: Content | undefined): content is Content =>
  content?.source?.state === "read" || content?.source?.state === "kept"

/** An error is a new object at each reading; its words are what it says. */
const told = ({ servers, sources, warnings }: Configuration) => ({
  servers: servers.map((server) => ({
    ...server,
    config: Result.isSuccess(server.config) ? server.config.success : inWords(server.config.failure)
  })),
  sources: sources.map((source) => ({ ...source, error: source.error === null ? null : inWords(source.error) })),
  warnings
})

const inWords = ({ hint, message }: { readonly message: string; readonly hint: string }) => `${message}\n${hint}`
