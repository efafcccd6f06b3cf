/** `mcp read --watch`: a resource as it is, and again each time that it changed. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { served } from "./Connected.ts"
import { local } from "./LocalTime.ts"
import * as McpOfferings from "./McpOfferings.ts"
import type { Options } from "./Options.ts"
import { Output } from "./Output.ts"
import { plain } from "./PlainText.ts"
import type { Servers, Update } from "./Servers.ts"
import type { Target } from "./Target.ts"

export const watch = Effect.fnUntraced(function*(options: Options, target: Target, server: string, uri: string) {
  yield* served(options, target, watched(options, server, uri), false, server)
})

const watched = Effect.fnUntraced(function*(options: Options, server: string, uri: string) {
  const servers = yield* McpOfferings.waitedFor(server)
  // Side by side, so that hardly anything can change between the first reading and the watch.
  const updates = Stream.merge(Stream.make({ uri, at: null }), servers.watch(server, uri))
  yield* Stream.runForEach(updates, (update) => shown(options, servers, server, update))
})

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
