/** `mcp prompts`, `prompt`, `resources` and `read`: what servers offer beside tools. */
import type { PromptList, ResourceContent } from "@boocode/mcp-registry"
import { ToolArguments } from "@boocode/toolkit"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { served } from "../backend/Connected.ts"
import { Servers, type Update } from "../backend/Servers.ts"
import { promptLines, resourceLines } from "../lines/TrustLines.ts"
import type { Options, Target } from "../options/Options.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { Usage } from "../terminal/Failure.ts"
import { local, oneLine, Output, plain } from "../terminal/Output.ts"
import { LONG } from "../terminal/Waiting.ts"

export const prompts = Effect.fnUntraced(function*(options: Options, target: Target, server: string | null) {
  const shown = Effect.gen(function*() {
    const output = yield* Output
    const list = yield* (yield* waitedFor(server)).prompts(server)
    if (options.json) return yield* output.document(list)
    yield* missing(list, "prompts")
    yield* output.lines(promptLines(list.prompts, output.paint))
  })
  yield* served(options, target, shown)
})

export const resources = Effect.fnUntraced(function*(options: Options, target: Target, server: string | null) {
  const shown = Effect.gen(function*() {
    const output = yield* Output
    const list = yield* (yield* waitedFor(server)).resources(server)
    if (options.json) return yield* output.document(list)
    yield* missing(list, "resources")
    yield* output.lines(resourceLines(list, output.paint))
  })
  yield* served(options, target, shown)
})

export interface GivenPrompt {
  readonly server: string
  readonly prompt: string
  /** JSON, `-` for standard input, null for none. */
  readonly args: string | null
}

export const prompt = Effect.fnUntraced(function*(options: Options, target: Target, given: GivenPrompt) {
  const args = yield* parsedArguments(given)
  const filled = Effect.gen(function*() {
    const servers = yield* waitedFor(given.server)
    return yield* servers.prompt({ server: given.server, prompt: given.prompt, args })
  })
  const result = yield* Effect.provide(
    served(options, target, filled, false, given.server),
    TerminalQuestions.requestsLayer
  )
  const output = yield* Output
  yield* options.json ? output.document(result) : output.text(`${result.text}\n`)
})

/** Checked before anything is started. */
const parsedArguments = Effect.fnUntraced(function*({ args, prompt }: GivenPrompt) {
  const text = args === "-" ? yield* Output.use((output) => output.input) : args
  return yield* Effect.fromResult(ToolArguments.parse(prompt, text)).pipe(
    Effect.mapError(({ message }) =>
      new Usage({ message, hint: "arguments of a prompt are one JSON object, for instance {\"topic\": \"rain\"}" })
    )
  )
})

export const read = Effect.fnUntraced(function*(options: Options, target: Target, server: string, uri: string) {
  const asked = Effect.gen(function*() {
    return yield* (yield* waitedFor(server)).read(server, uri)
  })
  const contents = yield* Effect.provide(served(options, target, asked, false, server), TerminalQuestions.requestsLayer)
  const output = yield* Output
  if (options.json) return yield* output.document({ contents })
  yield* Effect.forEach(contents, show)
})

/** Text goes to standard output; what is none would only upset a terminal. */
export const show = Effect.fnUntraced(function*({ blob, mimeType, text, truncated, uri }: ResourceContent) {
  const output = yield* Output
  if (text !== null) yield* output.text(text.endsWith("\n") ? text : `${text}\n`)
  const kind = oneLine(mimeType ?? "binary data")
  if (text === null && blob !== null) {
    yield* output.notes([`${plain(uri)} is ${kind}; with --json it is printed in base64`])
  }
  if (truncated) {
    yield* output.notes([`note: ${plain(uri)} is larger than "maxResultBytes" of its server's entry, and cut`])
  }
})

/** The servers, once the one that is asked for, or each of all, is ready or failed. A name nobody has fails at once. */
export const waitedFor = Effect.fnUntraced(function*(server: string | null) {
  const servers = yield* Servers
  if (server !== null) yield* servers.one(server)
  yield* servers.settled(server === null ? null : [server])
  return servers
})

const missing = Effect.fnUntraced(function*({ failed, waiting, warnings }: Omit<PromptList, "prompts">, verb: string) {
  const { notePaint, notes } = yield* Output
  yield* notes([
    ...failed.map(({ message, server }) => `${notePaint.bad("failed")}   ${plain(server)}: ${oneLine(message, 400)}`),
    ...waiting.map((server) =>
      `${notePaint.careful("waiting")}  ${plain(server)} sleeps or is slow; boocode mcp ${verb} ${
        plain(server)
      } waits for it`
    ),
    ...warnings.map((warning) => `${notePaint.careful("warning")}  ${plain(warning)}`)
  ])
})

// `mcp read --watch`: a resource as it is, and again each time that it changed.

export const watch = Effect.fnUntraced(function*(options: Options, target: Target, server: string, uri: string) {
  yield* served(options, target, watched(options, server, uri), false, server)
})

const watched = Effect.fnUntraced(function*(options: Options, server: string, uri: string) {
  const output = yield* Output
  const servers = yield* waitedFor(server)
  let isWatched = false
  const told = Effect.suspend(() => isWatched ? Effect.void : output.notes([`waiting for ${oneLine(server)} …`]))
  yield* Effect.forkScoped(Effect.delay(told, LONG), { startImmediately: true })
  // The first one says that it is watched: nothing that changes after it has been read goes untold.
  yield* Stream.runForEach(Stream.zipWithIndex(servers.watch(server, uri)), ([{ at, uri }, index]) => {
    isWatched = true
    return shown(options, servers, server, { uri, at: index === 0 ? null : at })
  })
}, Effect.scoped)

interface Reading {
  readonly uri: string
  /** Null for the first one. */
  readonly at: Update["at"] | null
}

const shown = Effect.fnUntraced(function*(
  { json }: Options,
  servers: Servers["Service"],
  server: string,
  { at, uri }: Reading
) {
  const output = yield* Output
  const contents = yield* servers.read(server, uri)
  if (json) return yield* output.documentLine({ uri, at: at === null ? null : iso(at), contents })
  if (at !== null) yield* output.notes([output.notePaint.dim(`${local(at)}  ${plain(uri)} changed`)])
  yield* Effect.forEach(contents, show)
})

const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))
