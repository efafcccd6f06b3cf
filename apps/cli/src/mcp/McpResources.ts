/** `mcp resources` and `mcp read`: the resources of the servers, and one of them, again each time that it changes. */
import type { ResourceContent, ResourceList } from "@boocode/mcp-registry"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { served } from "../backend/VerbContext.ts"
import { type Options, switchFlag, targetFlags, verb } from "../options/Options.ts"
import * as TerminalQuestions from "../questions/TerminalQuestions.ts"
import { local, oneLine, Output, type Paint, plain } from "../terminal/Output.ts"
import { LONG } from "../terminal/Waiting.ts"
import * as OfferedLists from "./OfferedLists.ts"

export const resources = OfferedLists.listVerb({
  kind: "resources",
  about: "Show the resources that the servers offer, and the templates of their URIs",
  ask: (servers, server) => servers.resources(server),
  lines: (list: ResourceList, paint, columns) => resourceLines(list, paint, columns)
})

const resourceLines = (
  { resources, templates }: ResourceList,
  paint: Paint,
  columns: number
): ReadonlyArray<string> => {
  const rows = [
    ...resources.map(({ server, uri, ...about }) => [`${server}  ${uri}`, summary(about)] as const),
    ...templates.map(({ server, uriTemplate, ...about }) => [`${server}  ${uriTemplate}`, summary(about)] as const)
  ]
  return rows.length === 0 ? ["no resources"] : OfferedLists.table(rows, paint, columns)
}

const summary = (
  { description, mimeType, name, title }: Pick<
    ResourceList["resources"][number],
    "name" | "title" | "description" | "mimeType"
  >
): string => oneLine([title ?? name, description ?? "", mimeType ?? ""].filter((words) => words !== "").join(", "), 120)

export const read = Command.make(
  "read",
  {
    server: OfferedLists.server,
    uri: Argument.String("URI").pipe(Argument.withDescription("The resource")),
    isWatched: switchFlag("watch", "Print it again each time that it changes, until Ctrl-C", "w"),
    ...targetFlags
  },
  ({ isWatched, server, uri, ...target }) =>
    verb((options) =>
      Effect.gen(function*() {
        if (isWatched) return yield* served(options, target, watched(options, server, uri), { chosen: server })
        const contents = yield* Effect.provide(
          served(
            options,
            target,
            Effect.flatMap(OfferedLists.settled(server), (servers) => servers.read(server, uri)),
            { chosen: server }
          ),
          TerminalQuestions.requestsLayer
        )
        if (options.json) return yield* Output.use((output) => output.document({ contents }))
        yield* Effect.forEach(contents, print)
      })
    )
).pipe(Command.withDescription("Read a resource and print its text"))

/** Prints text; binary data would upset a terminal. */
const print = Effect.fnUntraced(function*({ blob, mimeType, text, truncated, uri }: ResourceContent) {
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

const watched = Effect.fnUntraced(function*(options: Options, server: string, uri: string) {
  const output = yield* Output
  const servers = yield* OfferedLists.settled(server)
  const waits = yield* Effect.forkScoped(
    Effect.delay(output.notes([`waiting for ${oneLine(server)} …`]), LONG),
    { startImmediately: true }
  )
  // The first update says that the subscription stands: a change after the first reading is never missed.
  yield* Stream.runForEach(
    Stream.zipWithIndex(servers.watch(server, uri)),
    Effect.fnUntraced(function*([update, index]) {
      waits.interruptUnsafe()
      const at = index === 0 ? null : update.at
      const contents = yield* servers.read(server, update.uri)
      if (options.json) {
        return yield* output.documentLine({ uri: update.uri, at: at === null ? null : iso(at), contents })
      }
      if (at !== null) yield* output.notes([output.notePaint.dim(`${local(at)}  ${plain(update.uri)} changed`)])
      yield* Effect.forEach(contents, print)
    })
  )
}, Effect.scoped)

const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))
