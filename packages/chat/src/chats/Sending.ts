/** Taking a message: what is checked, and what is kept before anyone is told that it will be answered. */
import { type McpError, McpRegistry, type ResourceContent } from "@boocode/mcp-registry"
import { ModelText, type ResultFiles } from "@boocode/toolkit"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Attachments from "../model/Attachments.ts"
import type { Attachment, Message, NewAttachment } from "../model/Chat.ts"
import { type AttachmentRefused, QueueFull, TurnRunning, UnknownChat, UnknownTurn } from "../model/ChatError.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import * as PromptText from "../model/PromptText.ts"
import type { TurnStart } from "../store/ChatKeeping.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"
import * as ResourceAccess from "../tools/ResourceAccess.ts"
import * as TurnSpans from "../turn/TurnSpans.ts"
import * as ChatSession from "./ChatSession.ts"
import * as Titles from "./Titles.ts"

/** How many messages of a chat wait at most. */
export const MOST_QUEUED = 20

/** What became of a message. */
export interface Sent {
  readonly turn: number
  readonly queued: boolean
  /** Every part of the turn has a higher `seq`. */
  readonly after: number
}

/** The turn that an earlier message of this name became. */
export const repeated = (session: ChatSession.ChatSession, key: string | null | undefined): Sent | null => {
  if (key === null || key === undefined) return null
  const turn = [...session.turns.values()].find((one) => one.key === key)
  return turn === undefined ? null : { turn: turn.turn, queued: turn.state === "waiting", after: 0 }
}

/**
 * Keeps a message as a turn that waits, with all that belongs to it, and puts it at the end of the queue. The turn
 * itself is kept last: what a crash leaves of a message before is as if it had never been sent.
 */
export const admit = Effect.fnUntraced(function*(
  session: ChatSession.ChatSession,
  message: Message
): Effect.fn.Return<Sent, UnknownChat | UnknownTurn | TurnRunning | QueueFull | AttachmentRefused | ChatStoreFailed> {
  const before = repeated(session, message.key)
  if (before !== null) return before
  const replaced = yield* admissible(session, message)
  const turn = session.lastTurn + 1
  const createdAt = DateTime.formatIso(yield* DateTime.now)
  const attachments = yield* keepFiles(session, turn, message, replaced[0])
  yield* Effect.forEach(
    replaced.filter(({ replacedBy }) => replacedBy === null),
    (start) => ChatSession.putTurn(session, { ...start, replacedBy: turn })
  )
  yield* ChatSession.change(session, (record) => ({
    ...record,
    ...record.titledBy === "none" ? { title: Titles.ofMessage(message.text), titledBy: "message" } : {},
    updatedAt: createdAt
  }))
  const prompt = PromptText.kept(message.prompt ?? replaced[0]?.prompt, message.text)
  yield* ChatSession.putTurn(session, {
    turn,
    key: message.key ?? null,
    text: message.text,
    ...prompt === null ? {} : { prompt },
    agent: ModelChoice.given(message.agent) ?? "",
    model: ModelChoice.given(message.model) ?? "",
    createdAt,
    state: "waiting",
    replacedBy: null,
    attachments
  })
  const queued = session.running !== null || session.queue.length > 0
  session.lastTurn = turn
  session.queue.push({ turn, resume: null, sentIn: yield* TurnSpans.current })
  return { turn, queued, after: session.lastSeq }
})

/** Gives the turns whose place the message takes. */
const admissible = Effect.fnUntraced(function*(session: ChatSession.ChatSession, { replaces }: Message) {
  const { broken, id, queue, removing, running, turns } = session
  if (removing) return yield* new UnknownChat({ id })
  if (broken !== null) return yield* broken
  if (queue.length >= MOST_QUEUED) return yield* new QueueFull({ id, limit: MOST_QUEUED })
  if (replaces === null || replaces === undefined) return []
  const busy = running?.turn ?? queue[0]?.turn
  if (busy !== undefined) return yield* new TurnRunning({ id, turn: busy })
  if (!turns.has(replaces)) return yield* new UnknownTurn({ id, turn: replaces, isWaiting: false })
  return [...turns.values()].filter(({ turn }) => turn >= replaces)
})

/** A message that replaces a turn and says nothing of attachments keeps those of that turn. */
const keepFiles = Effect.fnUntraced(function*(
  session: ChatSession.ChatSession,
  turn: number,
  { attachments }: Message,
  replaced: TurnStart | undefined
): Effect.fn.Return<ReadonlyArray<Attachment>, AttachmentRefused | ChatStoreFailed> {
  if (attachments === undefined) return replaced?.attachments ?? []
  const files = yield* Attachments.named(turn, attachments)
  yield* Effect.forEach(files, ({ attachment, data }) => session.store.putFile(session.id, attachment.id, data))
  return files.map(({ attachment }) => attachment)
})

/**
 * Reads a resource now: one attachment for all of its text, and one for each image. The text is marked as what it is, a
 * server's words (R101), and cut as a result is: what a model does not get at once it finds with `view_file`. Fails as
 * `McpRegistry.readResource` does.
 */
export const readAttachment = Effect.fn("ResourceAttachment.read")(function*(
  server: string,
  uri: string
): Effect.fn.Return<ReadonlyArray<NewAttachment>, McpError, McpRegistry | ResultFiles> {
  const registry = yield* McpRegistry
  const contents = (yield* registry.readResource(server, uri)).map((content) => ({
    content,
    image: ResourceAccess.pictureOf(content)
  }))
  const isTrusted = (yield* registry.servers).some(({ isTrusted, name }) => name === server && isTrusted)
  const origin = { server, tool: `resource ${uri}`, isTrusted }
  const words = contents.filter(({ image }) => image === null).map(({ content }) =>
    wordsOf(content, contents.length > 1)
  )
  const images = contents.flatMap(({ content, image }): ReadonlyArray<NewAttachment> =>
    image === null
      ? []
      : [{ kind: "image", name: nameOf(content.uri), mediaType: image.mediaType, data: image.bytes, server, uri }]
  )
  if (words.length === 0 && images.length > 0) return images
  const text = yield* ModelText.fromResult({ text: words.join("\n\n") || "[it is empty]", truncated: null, origin })
  const document = { kind: "resource" as const, name: nameOf(uri), mediaType: "text/plain", server, uri }
  return [{ ...document, data: new TextEncoder().encode(text) }, ...images]
})

const wordsOf = (content: ResourceContent, isOneOfMany: boolean): string => {
  const lead = isOneOfMany ? `${content.uri}:\n` : ""
  const cut = content.truncated ? `\n${ResourceAccess.CUT}` : ""
  const text = ResourceAccess.textOf(content)
  if (text !== null) return `${lead}${text}${cut}`
  const kind = content.mimeType ?? "binary data"
  return `${lead}[${kind}, which is no text and no image that can be shown]${cut}`
}

/** The last part of the URI that says something. */
const nameOf = (uri: string): string => uri.split(/[/?#]+/).findLast((part) => part !== "") ?? uri
