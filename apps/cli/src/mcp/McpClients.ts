/** `mcp clients`: who uses the tools of a running server from outside, letting clients in and ending them. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { clientLines } from "../lines/ClientLines.ts"
import { optional, textFlag, url } from "../options/Options.ts"
import { counted, plain } from "../terminal/Output.ts"
import { asking } from "./McpControl.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The name of the client"))

const add = Command.make(
  "add",
  { name, profile: optional(textFlag("profile", "NAME", "What it is offered; default by default")), url },
  ({ name, profile, url }) =>
    asking(
      url,
      Effect.fnUntraced(function*({ api, quick, url: server }, { document, lines, notePaint, notes }, { json }) {
        const added = yield* quick(
          api.clients.add({ payload: { name, ...profile === null ? {} : { profile } } })
        )
        if (json) return yield* document(added)
        yield* lines([added.token])
        yield* notes([
          `${plain(added.name)} sends this token to ${server}/mcp as Authorization: Bearer TOKEN.`,
          notePaint.dim("It is shown this once.")
        ])
      })
    )
).pipe(Command.withDescription("Let a client in, and print the token that it sends"))

const remove = Command.make(
  "remove",
  { name, url },
  ({ name, url }) =>
    asking(url, ({ api, quick }, { document, lines }, { json }) =>
      Effect.andThen(
        quick(api.clients.remove({ params: { name } })),
        json ? document({ removed: name }) : lines([`${plain(name)} has no token any more`])
      ))
).pipe(Command.withDescription("Take the token of a client back, and end the client"))

const end = Command.make(
  "end",
  {
    name: Argument.String("CLIENT").pipe(Argument.withDescription("The name of a client, or the beginning of its id")),
    url
  },
  ({ name, url }) =>
    asking(
      url,
      Effect.fnUntraced(function*({ api, quick }, { document, lines }, { json }) {
        const { clients } = yield* quick(api.clients.list())
        const [first, ...others] = clients.filter(({ id }) => id.startsWith(name))
        const one = first !== undefined && others.length === 0 ? first.id : name
        const ended = yield* quick(api.clients.end({ params: { name: one } }))
        yield* json ? document(ended) : lines([`${counted(ended.ended, "client")} ended`])
      })
    )
).pipe(Command.withDescription("End a client that is connected, and its calls; it may connect again"))

export const clients = Command.make("clients", { url }, ({ url }) =>
  asking(
    url,
    Effect.fnUntraced(function*({ api, quick }, { columns, document, lines, paint }, { json }) {
      const found = yield* quick(api.clients.list())
      yield* json ? document(found) : lines(clientLines(found, paint, yield* columns))
    })
  )).pipe(
    Command.withDescription("Show who uses the tools of the running server from outside, let clients in and end them"),
    Command.withSubcommands([add, end, remove])
  )
