/** `chats fork`, `pin`, `unpin`, `folder` and `off`: what a person changes about a chat that is kept. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type { ChatBackend, ChatChange } from "../backend/ChatBackend.ts"
import * as ChatIds from "../lines/ChatIds.ts"
import { keptFlags, optional, optionalArgument, switchFlag, type Target, textFlag } from "../options/Options.ts"
import { Failed, Usage } from "../terminal/Failure.ts"
import { oneLine } from "../terminal/Output.ts"
import { id, told, withChats } from "./KeptChats.ts"

const changed = (target: Target, typed: string, change: ChatChange) =>
  withChats(
    target,
    Effect.fnUntraced(function*(chats, output, { json }) {
      yield* told(yield* chats.update(yield* ChatIds.whole(chats.list, typed), change), output, json)
    })
  )

const fork = Command.make(
  "fork",
  {
    id,
    turn: Flag.Int("turn").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("The last turn that the new chat has; by default the last one that has ended"),
      optional
    ),
    ...keptFlags
  },
  ({ id, turn, ...target }) =>
    withChats(
      target,
      Effect.fnUntraced(function*(chats, output, { json }) {
        const whole = yield* ChatIds.whole(chats.list, id)
        yield* told(yield* chats.fork(whole, turn ?? (yield* lastTurn(chats, whole))), output, json)
      })
    )
).pipe(Command.withDescription("Make a new chat with the turns of another one up to one of them"))

const lastTurn = Effect.fnUntraced(function*(chats: ChatBackend["Service"], id: string) {
  const { turns } = yield* chats.get(id)
  const last = turns.findLast(({ replacedBy, state }) => state === "ended" && replacedBy === null)
  return last?.turn ?? (yield* NO_TURN)
})

const NO_TURN = new Failed({
  tag: "UnknownTurn",
  message: "no turn of this chat has ended",
  hint: "say something in it first, or wait for the answer"
})

const pin = Command.make("pin", { id, ...keptFlags }, ({ id, ...target }) => changed(target, id, { pinned: true }))
  .pipe(Command.withDescription("Have a chat stand in front of the others in the page"))

const unpin = Command.make("unpin", { id, ...keptFlags }, ({ id, ...target }) => changed(target, id, { pinned: false }))
  .pipe(Command.withDescription("Have a chat stand among the others again"))

const folder = Command.make(
  "folder",
  {
    id,
    name: optionalArgument(
      Argument.String("NAME").pipe(Argument.withDescription("The folder; without it the chat is in none"))
    ),
    ...keptFlags
  },
  ({ id, name, ...target }) => changed(target, id, { folder: name })
).pipe(Command.withDescription("Put a chat into a folder, or take it out"))

const names = (flag: string, metavar: string, description: string) =>
  Flag.atLeast(textFlag(flag, metavar, description), 0)

const off = Command.make(
  "off",
  {
    id,
    servers: names("server", "NAME", "Turn this server off as well; can be repeated"),
    tools: names("tool", "PATTERN", "Turn these tools off as well, * is any run of characters; can be repeated"),
    isCleared: switchFlag("clear", "First turn everything on again"),
    ...keptFlags
  },
  ({ id, isCleared, servers, tools, ...target }) =>
    withChats(
      target,
      Effect.fnUntraced(function*(chats, { document, lines }, { json }) {
        for (const pattern of tools) if (!PATTERN.test(pattern)) return yield* notPattern(pattern)
        const whole = yield* ChatIds.whole(chats.list, id)
        const isChange = isCleared || servers.length + tools.length > 0
        const before = isCleared ? NOTHING : (yield* chats.get(whole)).off
        const wanted = { servers: both(before.servers, servers), tools: both(before.tools, tools) }
        const { off } = isChange ? yield* chats.update(whole, { off: wanted }) : { off: before }
        yield* json ? document({ off }) : lines(offLines(off))
      })
    )
).pipe(Command.withDescription("Turn servers and tools off in a chat, or show which are"))

const NOTHING: NonNullable<ChatChange["off"]> = { servers: [], tools: [] }

const both = (before: ReadonlyArray<string>, more: ReadonlyArray<string>) => [...new Set([...before, ...more])]

/** Patterns of tool names; agents alone have exceptions. */
const PATTERN = /^[A-Za-z0-9_*-]{1,200}$/

const notPattern = (pattern: string) =>
  new Usage({
    message: `${oneLine(pattern)} is no pattern of tools`,
    hint: "write names as boocode mcp tools shows them, and * for any run of characters"
  })

const offLines = ({ servers, tools }: NonNullable<ChatChange["off"]>): ReadonlyArray<string> => {
  const all = [...servers.map((name) => `server  ${oneLine(name)}`), ...tools.map((name) => `tool    ${oneLine(name)}`)]
  return all.length === 0 ? ["nothing is off in this chat"] : all
}

/** In the order of the help. */
export const all = [fork, pin, unpin, folder, off] as const
