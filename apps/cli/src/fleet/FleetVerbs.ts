/** `fleet`: the nodes of a fleet, and draining one of them, over the API of any node. */
import type { NodeDocument } from "@boocode/chat-server/api/AboutApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { plainly, Remote } from "../backend/Remote.ts"
import { controlling } from "../backend/VerbContext.ts"
import { switchFlag, url, verb } from "../options/Options.ts"
import { Failed } from "../terminal/Failure.ts"
import { beside } from "../terminal/Layout.ts"
import { local, oneLine, Output, type Paint } from "../terminal/Output.ts"

type Node = typeof NodeDocument.Type

const nodes = Remote.use(({ api, quick }) =>
  Effect.mapBoth(quick(api.fleet.nodes()), { onSuccess: ({ nodes }) => nodes, onFailure: plainly })
)

const list = (target: { readonly url: string | null }) =>
  verb((options) =>
    controlling(
      options,
      target.url,
      Effect.gen(function*() {
        const { columns, document, lines, paint } = yield* Output
        const all = yield* nodes
        if (options.json) return yield* document({ nodes: all })
        const named = all.map((node) => ({ name: node.address, about: aboutOf(node, paint) }))
        yield* lines(beside(named, yield* columns, { colour: paint.bold }))
      })
    )
  )

const LIST = "Show the nodes of the fleet, and the servers and chats that each owns"

/** A node gives everything away within 10 s; it may be said to it a little later, and servers may be slow to start elsewhere. */
const MOST_LOOKS = 120
const BETWEEN = "500 millis"

/** Until the node owns nothing; one that is gone owns nothing either. */
const drained = (address: string) =>
  Effect.gen(function*() {
    for (let look = 0; look < MOST_LOOKS; look++) {
      const node = (yield* nodes).find((one) => one.address === address)
      if (node === undefined || node.state === "drained" || node.state === "gone") return node
      yield* Effect.sleep(BETWEEN)
    }
    return yield* new Failed({
      tag: "NotDrained",
      message: `${address} still owns something after a minute`,
      hint: "boocode fleet list shows what; its log says why"
    })
  })

const drain = Command.make(
  "drain",
  {
    node: Argument.String("NODE").pipe(Argument.withDescription("The address of the node, as fleet list shows it")),
    wait: switchFlag("wait", "Wait until it owns nothing, a minute at most"),
    url
  },
  ({ node: address, url, wait }) =>
    verb((options) =>
      controlling(
        options,
        url,
        Effect.gen(function*() {
          const { document, lines, notes } = yield* Output
          const { api, quick } = yield* Remote
          const told = yield* Effect.mapError(quick(api.fleet.drain({ payload: { node: address } })), plainly)
          const node = wait ? (yield* drained(address)) ?? told : told
          if (options.json) return yield* document(node)
          yield* lines([wait ? `${address} owns nothing any more` : `${address} gives its servers and chats away`])
          yield* notes(["It takes none until it is started again."])
        })
      )
    )
).pipe(
  Command.withDescription(
    "Have a node give its servers and chats to the others, and take none until it is started again"
  ),
  Command.withExamples([{
    command: "boocode fleet drain 10.0.0.7:4267 --wait",
    description: "Before its machine goes"
  }])
)

const lister = Command.make("list", { url }, list).pipe(Command.withDescription(LIST))

export const fleet = Command.make("fleet", { url }, list).pipe(
  Command.withDescription("Show the nodes of a fleet, and drain one"),
  Command.withSubcommands([lister, drain])
)

const aboutOf = ({ chats, servers, shares, since, state, version }: Node, paint: Paint): string => {
  const shown = state === "ready" ? paint.good(state) : state === "gone" ? paint.bad(state) : state
  const names = servers.length === 0 ? "no server" : servers.map((name) => oneLine(name, 64)).join(", ")
  return `${shown}, ${oneLine(version, 40)} since ${local(since, "short")}, ${shares} of 100 shares, ` +
    `${names}, ${chats} ${chats === 1 ? "chat" : "chats"}`
}
