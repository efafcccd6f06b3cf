/** Searching the files of a workspace for text, within limits that no pattern and no folder can break. */
import { Utf8 } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { RE2JS } from "re2js"
import * as Workspace from "./Workspace.ts"
import type { UnusablePath } from "./Workspace.ts"

/** The limits of one search. */
export const LIMITS = {
  files: 2000,
  fileBytes: 2_000_000,
  totalBytes: 32_000_000,
  matches: 200,
  entriesOfAFolder: 5000,
  depth: 32,
  lineBytes: 400,
  /** How much of a line a regular expression is tried on. */
  lineCharacters: 10_000,
  millis: 5000
} as const

/** Folders that are not searched unless they are asked for by name. */
export const SKIPPED = [".git", "node_modules"]

/** The matches of a search. */
export interface Found {
  readonly matches: ReadonlyArray<{ readonly file: string; readonly line: number; readonly text: string }>
  readonly files: number
  /** Which limits cut the search short, in words. Empty when everything was searched. */
  readonly limits: ReadonlyArray<string>
}

/** The test that a line has to pass. */
export interface LineTest {
  readonly matches: (line: string) => boolean
  /** Longer lines are asked about their beginning only; undefined for tests that are cheap on any line. */
  readonly maxCharacters?: number | undefined
}

interface Search {
  readonly workspace: Workspace.Workspace
  readonly test: LineTest
  readonly deadline: number
  readonly found: Array<{ readonly file: string; readonly line: number; readonly text: string }>
  readonly limits: Set<string>
  files: number
  bytes: number
}

/**
 * Searches a file, or a folder and those in it, line by line in the order of names. Symbolic links are not followed.
 * Binary files are passed over.
 */
export const search = Effect.fnUntraced(function*(
  workspace: Workspace.Workspace,
  start: Workspace.Place,
  test: LineTest
): Effect.fn.Return<Found, UnusablePath> {
  const deadline = (yield* Clock.currentTimeMillis) + LIMITS.millis
  const state: Search = { workspace, test, deadline, found: [], limits: new Set(), files: 0, bytes: 0 }
  if (start.info.type === "Directory") yield* searchFolder(state, start, 0)
  else yield* searchFile(state, start)
  return { matches: state.found, files: state.files, limits: [...state.limits] }
})

const searchFolder = (state: Search, folder: Workspace.Place, depth: number): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (depth > LIMITS.depth) return limit(state, `folders more than ${LIMITS.depth} deep were left out`)
    const { entries, total } = yield* state.workspace.entries(folder, LIMITS.entriesOfAFolder)
    if (total > entries.length) limit(state, `only ${LIMITS.entriesOfAFolder} entries of a folder were searched`)
    for (const { link, name, place } of entries) {
      if (place === null || link || SKIPPED.includes(name)) continue
      if (yield* isOver(state)) return
      if (place.info.type === "Directory") yield* searchFolder(state, place, depth + 1)
      else if (place.info.type === "File") yield* searchFile(state, place)
    }
  }).pipe(
    // A folder or file that cannot be read must not end the search of the others; the answer says that it is partial.
    Effect.catch((error) => Effect.sync(() => limit(state, error.message)))
  )

const searchFile = Effect.fnUntraced(function*(state: Search, file: Workspace.Place) {
  if (file.info.size > BigInt(LIMITS.fileBytes)) {
    return limit(state, `files of more than ${LIMITS.fileBytes} bytes were left out`)
  }
  state.files += 1
  state.bytes += Number(file.info.size)
  const text = Workspace.text(yield* state.workspace.bytes(file, LIMITS.fileBytes))
  if (text === null) return
  let since = 0
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    since += line.length + 1
    if (since > CHARACTERS_AT_ONCE) {
      if (yield* isOver(state)) return
      since = 0
    }
    if (!isMatch(state, line)) continue
    if (state.found.length >= LIMITS.matches) return limit(state, `only the first ${LIMITS.matches} matches are shown`)
    state.found.push({ file: file.name, line: index + 1, text: cut(line) })
  }
})

/** How much is searched before others get their turn and the clock is asked. */
const CHARACTERS_AT_ONCE = 10_000

const isMatch = (state: Search, line: string): boolean => {
  const most = state.test.maxCharacters ?? Infinity
  if (line.length <= most) return state.test.matches(line)
  limit(state, `of lines of more than ${most} characters only the beginning was searched`)
  return state.test.matches(line.slice(0, most))
}

const isOver = Effect.fnUntraced(function*(state: Search) {
  // Other chats get their turn while this one searches.
  yield* Effect.yieldNow
  if (state.files >= LIMITS.files) limit(state, `only ${LIMITS.files} files were searched`)
  else if (state.bytes >= LIMITS.totalBytes) limit(state, `only ${LIMITS.totalBytes} bytes were searched`)
  else if (state.found.length >= LIMITS.matches) limit(state, `only the first ${LIMITS.matches} matches are shown`)
  else if ((yield* Clock.currentTimeMillis) > state.deadline) limit(state, `the search ended after ${LIMITS.millis} ms`)
  else return false
  return true
})

const limit = (state: Search, words: string): void => {
  state.limits.add(words)
}

const cut = (line: string): string => {
  const short = Utf8.prefix(line, LIMITS.lineBytes)
  return short.length === line.length ? line : `${short}…`
}

/** A compiled pattern. */
export interface LinearRegExp {
  /** Whether the pattern matches anywhere in one line. */
  readonly test: (line: string) => boolean
}

const MAX_CHARACTERS = 1000

/**
 * Compiles the syntax of RE2: no back references and no look-around, as those have no linear search. Fails in words for
 * wrong syntax and for a pattern of more than 1,000 characters.
 */
export const makeLinearRegExp = (pattern: string, ignoreCase: boolean): Result.Result<LinearRegExp, string> => {
  if (pattern.length > MAX_CHARACTERS) {
    return Result.fail(`the pattern is too large: at most ${MAX_CHARACTERS} characters`)
  }
  return Result.try({
    try: () => {
      const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
      return { test: (line: string) => compiled.matcher(line).find() }
    },
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
}
