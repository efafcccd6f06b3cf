/** `connect` and `disconnect`: other applications on this machine that use BooCode as their one MCP server. */
import { ClientProfiles } from "@boocode/chat-server/ClientProfiles"
import * as ClientConnection from "@boocode/chat-server/connections/ClientConnection"
import * as ConnectedClients from "@boocode/chat-server/connections/ConnectedClients"
import { DEFAULT_PROFILE } from "@boocode/chat-server/connections/GatewayEntry"
import { DataFolder } from "@boocode/chat-server/DataFolder"
import { Clients } from "@boocode/mcp-config/Exchange"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { tellIfApplied } from "../backend/VerbContext.ts"
import * as ServerFiles from "../edit/ServerFiles.ts"
import { optionalArgument, type Options, switchFlag, textFlag, verb } from "../options/Options.ts"
import { failed, Usage } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { counted, oneLine, Output } from "../terminal/Output.ts"
import * as ConnectReport from "./ConnectReport.ts"
import * as TakenOver from "./TakenOver.ts"

const IDS = Clients.all.map(({ id }) => id)

const APPLICATION = "CLIENT"

export const connect = Command.make(
  "connect",
  {
    id: optionalArgument(
      Argument.Literals(APPLICATION, IDS).pipe(
        Argument.withDescription("The application; without it, shows which there are and which are connected")
      )
    ),
    profile: textFlag("profile", "NAME", "The profile that the application gets; default by default").pipe(
      Flag.withDefault(DEFAULT_PROFILE)
    ),
    isTaking: switchFlag("take-over", "Take over the servers it has, and switch them off there, without asking"),
    isSure: switchFlag("yes", "Say yes to everything that a terminal would ask"),
    isUndone: switchFlag("undo", "Bring the application's file back as it was")
  },
  (given) =>
    verb((options) =>
      atHome(options, (files) =>
        given.id === null
          ? listed(options, given)
          : given.isUndone
          ? undone(options, given.id)
          : connected(options, files, { ...given, id: given.id }))
    )
).pipe(
  Command.withDescription("Connect an application to BooCode: one entry, and all your servers"),
  Command.withExamples([
    { command: "boocode connect", description: "The applications: found or not, connected or not" },
    { command: "boocode connect cursor", description: "Write the entry, and offer to take over its servers" },
    { command: "boocode connect codex --profile work --take-over", description: "Without a question" }
  ])
)

export const disconnect = Command.make(
  "disconnect",
  { id: Argument.Literals(APPLICATION, IDS).pipe(Argument.withDescription("The application")) },
  ({ id }) => verb((options) => atHome(options, () => undone(options, id)))
).pipe(Command.withDescription("Take BooCode's entry out of an application, and give it its servers back"))

/** Runs with the files of the data folder. An application has no use for the servers of one command. */
const atHome = <A, E, R>(options: Options, use: (files: ServerFiles.Files) => Effect.Effect<A, E, R>) =>
  options.config === null
    ? ServerFiles.withFiles(options, (files) => Effect.provideService(use(files), DataFolder, files.folder))
    : Effect.fail(
      new Usage({
        message: "--config is about one command, and an application starts BooCode again and again",
        hint: "name a data folder with --data instead"
      })
    )

const listed = Effect.fnUntraced(function*(
  options: Options,
  { isSure, isTaking, isUndone }: { readonly isSure: boolean; readonly isTaking: boolean; readonly isUndone: boolean }
) {
  if (isSure || isTaking || isUndone) {
    return yield* new Usage({
      message: "no application is named",
      hint: `boocode connect CLIENT, one of ${IDS.join(", ")}`
    })
  }
  yield* ConnectReport.list(options, yield* ConnectedClients.list)
})

interface Given {
  readonly id: string
  readonly profile: string
  readonly isTaking: boolean
  readonly isSure: boolean
}

const clientOf = (id: string) =>
  Effect.fromOption(Option.fromUndefinedOr(Clients.named(id))).pipe(
    Effect.mapError(() => new Usage({ message: `there is no application ${id}`, hint: `one of ${IDS.join(", ")}` }))
  )

const connected = Effect.fnUntraced(function*(options: Options, files: ServerFiles.Files, given: Given) {
  const client = yield* clientOf(given.id)
  yield* Effect.mapError(
    Effect.provide(ClientProfiles.use(({ get }) => get(given.profile)), ClientProfiles.layer),
    failed
  )
  yield* Effect.mapError(ClientConnection.checked(client), failed)
  const state = yield* Effect.mapError(ClientConnection.look(client), failed)
  const target = yield* ServerFiles.forNew(files, null)
  const offer = yield* TakenOver.offer(files, target, { file: state.file, shape: client.shape }, state.servers)
  const isTaking = offer.taken.length > 0 && (given.isTaking || given.isSure || (yield* agreed(options, client, offer)))
  if (isTaking) yield* TakenOver.apply(files, offer)
  const off = isTaking ? offer.taken.map(({ name }) => name) : []
  const done = yield* Effect.mapError(ClientConnection.connect(client, given.profile, off), failed)
  yield* ConnectReport.connected(options, {
    state,
    done,
    offer,
    isTaking,
    profile: given.profile,
    envFile: files.envFile
  })
  if (isTaking) yield* tellIfApplied(options, target.file.scope)
})

/** Asks a person at a terminal; elsewhere the answer is no. */
const agreed = Effect.fnUntraced(function*(options: Options, { title }: Clients.Client, offer: TakenOver.Offer) {
  const { inputIsTerminal, notePaint, notes } = yield* Output
  if (!inputIsTerminal || options.json) return false
  yield* notes([
    `${title} has ${counted(offer.taken.length, "server")} that BooCode can take over: ${
      oneLine(offer.taken.map(({ name }) => name).join(", "), 400)
    }`,
    notePaint.dim(`They come into ${oneLine(offer.target.file.name, 400)} and are switched off in ${title}.`)
  ])
  const line = yield* Keyboard.use((keyboard) => keyboard.line("take them over? [y/N] "))
  return /^y(es)?$/i.test(line?.trim() ?? "")
})

const undone = Effect.fnUntraced(function*(options: Options, id: string) {
  const client = yield* clientOf(id)
  yield* ConnectReport.disconnected(
    options,
    client,
    yield* Effect.mapError(ClientConnection.disconnect(client), failed)
  )
})
