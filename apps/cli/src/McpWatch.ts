/** `mcp read --watch`: a resource as it is, and again each time that it changed. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { served } from "./Connected.ts"
import { local } from "./LocalTime.ts"
import * as McpOfferings from "./McpOfferings.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { oneLine, plain } from "./PlainText.ts"
import type { Servers, Update } from "./Servers.ts"
import type { Target } from "./Target.ts"
import { LONG } from "./Waiting.ts"

export const watch = Effect.fnUntraced(function*(options: Options, target: Target, server: string, uri: string) {
  yield* served(options, target, watched(options, server, uri), false, server)
})

const watched = Effect.fnUntraced(function*(options: Options, server: string, uri: string) {
  const output = yield* Output
  const servers = yield* McpOfferings.waitedFor(server)
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
  yield* Effect.forEach(contents, McpOfferings.show)
})

const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))
