/** The output of `connect` and `disconnect`: as JSON, and in words. */
import type * as ClientConnection from "@boocode/chat-server/connections/ClientConnection"
import type * as ConnectedClients from "@boocode/chat-server/connections/ConnectedClients"
import { DEFAULT_PROFILE } from "@boocode/chat-server/connections/GatewayEntry"
import type { Clients } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import type { Options } from "../options/Options.ts"
import { counted, oneLine, Output, pad, type Paint, plain } from "../terminal/Output.ts"
import type * as TakenOver from "./TakenOver.ts"

export const list = Effect.fnUntraced(function*(options: Options, document: ConnectedClients.Document) {
  const { document: print, lines, notePaint, notes, paint } = yield* Output
  if (options.json) return yield* print({ ...document })
  const width = Math.max(...document.clients.map(({ id }) => id.length))
  yield* lines(document.clients.map((client) => line(client, width, paint)))
  yield* notes([
    ...document.clients.flatMap(({ problem, title }) =>
      problem === null ? [] : [`${notePaint.careful("warning")}  ${title}: ${plain(problem)}`]
    ),
    `${
      notePaint.dim("hint")
    }     boocode connect CLIENT writes one entry into its file; boocode disconnect CLIENT takes it out`
  ])
})

const line = (client: ConnectedClients.Connected, width: number, paint: Paint): string => {
  const { file, found, id, profile, servers } = client
  const state = profile !== null
    ? paint.good(`connected${profile === DEFAULT_PROFILE ? "" : ` (${oneLine(profile)})`}`)
    : found
    ? "not connected"
    : paint.dim("not found")
  const others = servers === 0 ? "" : `  ${counted(servers, "other server")}`
  return `${pad(id, width)}  ${state}${others}  ${paint.dim(oneLine(file ?? "", 400))}`
}

export interface Connected {
  /** As it was before. */
  readonly state: ClientConnection.State
  readonly done: ClientConnection.Connected
  readonly offer: TakenOver.Offer
  /** Whether the servers were taken over. */
  readonly isTaking: boolean
  readonly profile: string
  readonly envFile: string
}

export const connected = Effect.fnUntraced(function*(options: Options, all: Connected) {
  const { done, envFile, isTaking, offer, profile, state: { client, isFound } } = all
  const { document, lines, notePaint, notes, paint } = yield* Output
  const stays = isTaking
    ? offer.staying
    : [...offer.taken.map(({ name }) => ({ name, why: "it was not taken over" })), ...offer.staying]
  const secrets = isTaking ? Object.keys(offer.secrets) : []
  if (options.json) {
    return yield* document({
      ...{ client: client.id, file: done.file, profile, isChanged: done.isChanged, entry: done.entry, kept: done.kept },
      takenOver: isTaking ? offer.taken.map(({ name, outcome }) => ({ name, outcome })) : [],
      target: isTaking ? offer.target.file.name : null,
      staying: stays,
      secrets
    })
  }
  const names = oneLine(offer.taken.map(({ name }) => name).join(", "), 400)
  yield* lines([
    `${paint.good(done.isChanged ? "connected" : "connected already")}  ${client.title}: ${plain(done.file)}`,
    ...(isTaking ? [`  took over ${names} into ${plain(offer.target.file.name)}; off in ${client.title} now`] : []),
    ...(secrets.length === 0 ? [] : [`  moved ${secrets.join(", ")} to ${plain(envFile)}`]),
    ...stays.map(({ name, why }) => `  ${oneLine(name)} stays in ${client.title}: ${oneLine(why, 300)}`)
  ])
  yield* notes([
    ...(isFound ? [] : [`${notePaint.careful("warning")}  ${client.title} was not found on this machine`]),
    ...(isTaking || offer.taken.length === 0
      ? []
      : [
        `${notePaint.dim("hint")}     ${
          notePaint.typed(`boocode connect ${client.id} --take-over`)
        } takes over what it has`
      ]),
    ...(done.isChanged
      ? [
        `${notePaint.dim("hint")}     start ${client.title} again; ${
          notePaint.typed(`boocode disconnect ${client.id}`)
        } undoes this`
      ]
      : [])
  ])
})

export const disconnected = Effect.fnUntraced(function*(
  options: Options,
  { id, title }: Clients.Client,
  done: ClientConnection.Disconnected
) {
  const { document, lines, notePaint, notes, paint } = yield* Output
  if (options.json) return yield* document({ client: id, ...done })
  const file = plain(done.file)
  const words = {
    restored: `${paint.good("disconnected")}  ${title}: ${file} is as it was before`,
    merged: `${paint.good("disconnected")}  ${title}: ${file} was changed since, so only the entry was taken out`,
    absent: `${title} was not connected: ${file}`
  }
  yield* lines([
    words[done.outcome],
    ...(done.back.length === 0 ? [] : [`  ${oneLine(done.back.join(", "), 400)} on again there`])
  ])
  yield* notes([
    ...done.left.map((name) =>
      `${notePaint.careful("warning")}  ${oneLine(name)} was changed in ${title} since, so it stays as it is`
    ),
    ...(done.kept === null ? [] : [`${notePaint.dim("hint")}     the old file is ${plain(done.kept)}`]),
    ...(done.back.length === 0
      ? []
      : [`${notePaint.dim("hint")}     BooCode has them too: boocode mcp remove NAME takes one out`])
  ])
})
