/** Chats in memory, for as long as the program runs. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChatRecord } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import { type ChatHead, type ChatHit, ChatStore, type StoredChat, type TurnStart } from "./ChatStore.ts"
import * as PartRows from "./PartRows.ts"
import { answerOf, excerptOf, queryOf, wordsOf } from "./SearchWords.ts"

interface MemoryChat {
  record: ChatRecord
  readonly turns: Map<number, TurnStart>
  lastTurn: number
  /** The part with `seq` n is at n - 1. */
  readonly parts: Array<Part>
  readonly files: Map<string, Uint8Array>
}

const make = (): ChatStore["Service"] => {
  const chats = new Map<string, MemoryChat>()
  const change = (id: string, f: (chat: MemoryChat) => void): Effect.Effect<void> =>
    Effect.sync(() => {
      const chat = chats.get(id)
      if (chat !== undefined) f(chat)
    })
  return {
    list: Effect.sync(() => [...chats.values()].map(({ record }) => record)),
    search: (query, limit) => Effect.sync(() => found([...chats.values()], queryOf(query)).slice(0, limit)),
    get: (id) => Effect.sync(() => stored(chats.get(id))),
    head: (id) => Effect.sync(() => headOf(chats.get(id))),
    add: ({ files, record, turns }) =>
      Effect.sync(() =>
        void chats.set(record.id, {
          record,
          turns: new Map(turns.map(({ parts: _, ...turn }) => [turn.turn, turn])),
          lastTurn: turns.at(-1)?.turn ?? 0,
          parts: PartRows.ofTurns(turns),
          files: new Map(files)
        })
      ),
    claim: () => Effect.void,
    put: (record) =>
      Effect.sync(() => {
        const chat = chats.get(record.id)
        if (chat !== undefined) chat.record = record
        else chats.set(record.id, { record, turns: new Map(), lastTurn: 0, parts: [], files: new Map() })
      }),
    putTurn: (id, turn) =>
      change(id, (chat) => {
        chat.turns.set(turn.turn, turn)
        chat.lastTurn = Math.max(chat.lastTurn, turn.turn)
      }),
    removeTurn: (id, turn) => change(id, ({ turns }) => turns.delete(turn)),
    append: (id, parts) => change(id, (chat) => chat.parts.push(...parts)),
    parts: (id, after, limit, bytes) =>
      Effect.sync(() => within(chats.get(id)?.parts.slice(after, after + limit) ?? [], bytes)),
    unfinished: Effect.sync(() =>
      [...chats].flatMap(([id, { turns }]) => [...turns.values()].some(({ state }) => state !== "ended") ? [id] : [])
    ),
    putFile: (id, file, data) => change(id, ({ files }) => files.set(file, data)),
    file: (id, file) => Effect.sync(() => chats.get(id)?.files.get(file) ?? null),
    remove: (id) => Effect.sync(() => void chats.delete(id))
  }
}

/** Keeps chats in memory, for as long as the program runs. */
export const layer: Layer.Layer<ChatStore> = Layer.sync(ChatStore, make)

/** The first part, and those after it that have no more than so many bytes together. */
const within = (parts: ReadonlyArray<Part>, bytes: number | undefined): ReadonlyArray<Part> => {
  if (bytes === undefined) return parts
  let size = 0
  const end = parts.findIndex((part, at) => at > 0 && (size += JSON.stringify(part).length) > bytes)
  return end === -1 ? parts : parts.slice(0, end)
}

const headOf = (chat: MemoryChat | undefined): ChatHead | null =>
  chat === undefined ? null : {
    record: chat.record,
    turns: [...chat.turns.values()].toSorted((one, other) => one.turn - other.turn),
    lastSeq: chat.parts.at(-1)?.seq ?? 0,
    lastTurn: chat.lastTurn
  }

const stored = (chat: MemoryChat | undefined): StoredChat | null => {
  const head = headOf(chat)
  if (chat === undefined || head === null) return null
  const parts = Map.groupBy(chat.parts, (part) => part.turn)
  return { ...head, turns: head.turns.map((turn) => ({ ...turn, parts: parts.get(turn.turn) ?? [] })) }
}

const found = (chats: ReadonlyArray<MemoryChat>, words: ReadonlyArray<string>): ReadonlyArray<ChatHit> =>
  words.length === 0 ? [] : chats.flatMap((chat) => {
    const texts = textsOf(chat)
    const excerpts = words.map((word) => texts.find((text) => hasWord(text, word)))
    const [first = ""] = words
    return excerpts.every((text) => text !== undefined)
      ? [{ record: chat.record, excerpt: excerptOf(excerpts[0] ?? "", first) }]
      : []
  }).toSorted((one, other) => byUse(one.record, other.record))

const hasWord = (text: string, word: string): boolean => wordsOf(text).some((one) => one.startsWith(word))

const byUse = (one: ChatRecord, other: ChatRecord): number =>
  one.updatedAt === other.updatedAt ? (one.id < other.id ? -1 : 1) : one.updatedAt < other.updatedAt ? 1 : -1

const textsOf = ({ parts, record, turns }: MemoryChat): ReadonlyArray<string> => {
  const said = Map.groupBy(parts, (part) => part.turn)
  const numbers = [...new Set([...turns.keys(), ...said.keys()])].toSorted((one, other) => one - other)
  return [
    record.title,
    ...numbers.flatMap((turn) => [turns.get(turn)?.text ?? "", answerOf(said.get(turn) ?? [])])
  ]
}
