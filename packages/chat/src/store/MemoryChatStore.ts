/** Chats in memory, for as long as the program runs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChatRecord } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import {
  ASKING,
  type ChatHead,
  type ChatHit,
  ChatStore,
  type StoredChat,
  type TurnStart,
  type UnderWay
} from "./ChatStore.ts"
import * as PartRows from "./PartRows.ts"
import { type FoundText, hitIn, Kind, MOST_TEXTS, type TextHit } from "./SearchHits.ts"
import { answerOf, excerptOf, queryOf, searchable, wordsOf } from "./SearchWords.ts"

interface MemoryChat {
  record: ChatRecord
  readonly turns: Map<number, TurnStart>
  lastTurn: number
  /** The part with `seq` n is at n - 1. */
  readonly parts: Array<Part>
  /** When each of `parts` was kept. */
  readonly times: Array<number | null>
  readonly files: Map<string, Uint8Array>
}

const make = (): ChatStore["Service"] => {
  const chats = new Map<string, MemoryChat>()
  const ownedBy = (owner: string) => [...chats.values()].filter(({ record }) => record.owner === owner)
  const change = (id: string, f: (chat: MemoryChat) => void): Effect.Effect<void> =>
    Effect.sync(() => {
      const chat = chats.get(id)
      if (chat !== undefined) f(chat)
    })
  return {
    list: (owner) => Effect.sync(() => ownedBy(owner).map(({ record }) => record)),
    ids: Effect.sync(() => [...chats.keys()]),
    owner: (id) => Effect.sync(() => chats.get(id)?.record.owner ?? null),
    search: (owner, query, limit) => Effect.sync(() => found(ownedBy(owner), queryOf(query)).slice(0, limit)),
    find: (owner, query, limit) => Effect.sync(() => textHits(ownedBy(owner), queryOf(query)).slice(0, limit)),
    get: (id) => Effect.sync(() => stored(chats.get(id))),
    head: (id) => Effect.sync(() => headOf(chats.get(id))),
    add: ({ files, record, turns }) =>
      Effect.sync(() =>
        void chats.set(record.id, {
          record,
          turns: new Map(turns.map(({ parts: _, ...turn }) => [turn.turn, turn])),
          lastTurn: turns.at(-1)?.turn ?? 0,
          parts: PartRows.ofTurns(turns),
          times: [],
          files: new Map(files)
        })
      ),
    claim: () => Effect.void,
    put: (record) =>
      Effect.sync(() => {
        const chat = chats.get(record.id)
        if (chat !== undefined) chat.record = record
        else chats.set(record.id, { record, turns: new Map(), lastTurn: 0, parts: [], times: [], files: new Map() })
      }),
    putTurn: (id, turn) =>
      change(id, (chat) => {
        chat.turns.set(turn.turn, turn)
        chat.lastTurn = Math.max(chat.lastTurn, turn.turn)
      }),
    removeTurn: (id, turn) => change(id, ({ turns }) => turns.delete(turn)),
    append: (id, parts) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        change(id, (chat) => {
          for (const part of parts) chat.times[chat.parts.push(part) - 1] = now
        })),
    putPart: (id, part) =>
      change(id, ({ parts }) => {
        if (parts[part.seq - 1] !== undefined) parts[part.seq - 1] = part
      }),
    parts: (id, after, limit, bytes) =>
      Effect.sync(() => within(chats.get(id)?.parts.slice(after, after + limit) ?? [], bytes)),
    timed: (id, turn) =>
      Effect.sync(() => {
        const { parts = [], times = [] } = chats.get(id) ?? {}
        const timed = parts.map((part, index) => ({ part, at: times[index] ?? null }))
        const own = timed.filter(({ part }) => part.turn === turn)
        return { before: timed[(own[0]?.part.seq ?? 1) - 2]?.at ?? null, parts: own }
      }),
    lastSeqs: (ids) =>
      Effect.sync(() =>
        new Map(ids.flatMap((id) => {
          const chat = chats.get(id)
          return chat === undefined ? [] : [[id, chat.parts.at(-1)?.seq ?? 0] as const]
        }))
      ),
    underWay: (owner) => Effect.sync(() => new Map(ownedBy(owner).flatMap((chat) => underWay(chat)))),
    unfinished: Effect.sync(() => [...chats.values()].filter(isBusy).map(({ record }) => record.id)),
    busy: (owner) => Effect.sync(() => ownedBy(owner).filter(isBusy).map(({ record }) => record.id)),
    putFile: (id, file, data) => change(id, ({ files }) => files.set(file, data)),
    file: (id, file) => Effect.sync(() => chats.get(id)?.files.get(file) ?? null),
    removeFile: (id, file) => change(id, ({ files }) => files.delete(file)),
    remove: (id) => Effect.sync(() => void chats.delete(id))
  }
}

const isBusy = ({ turns }: MemoryChat): boolean => [...turns.values()].some(({ state }) => state !== "ended")

/** Keeps chats in memory, for as long as the program runs. */
export const layer: Layer.Layer<ChatStore> = Layer.sync(ChatStore, make)

/** The first part, and those after it that have no more than so many bytes together. */
const within = (parts: ReadonlyArray<Part>, bytes: number | undefined): ReadonlyArray<Part> => {
  if (bytes === undefined) return parts
  let size = 0
  const end = parts.findIndex((part, at) => at > 0 && (size += JSON.stringify(part).length) > bytes)
  return end === -1 ? parts : parts.slice(0, end)
}

const underWay = (chat: MemoryChat): ReadonlyArray<readonly [string, UnderWay]> => {
  const turns = (headOf(chat)?.turns ?? []).filter(({ state }) => state !== "ended")
  const numbers = new Set(turns.map(({ turn }) => turn))
  const parts = chat.parts.filter((part) => numbers.has(part.turn) && ASKING.some((type) => type === part.type))
  return turns.length === 0
    ? []
    : [[chat.record.id, { turns: turns.map(({ state, turn }) => ({ turn, state })), parts }]]
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
  chatsWith(chats, words).map(({ chat, texts }) => {
    const [first = ""] = words
    return {
      record: chat.record,
      excerpt: excerptOf(texts.find(({ text }) => hasWord(text, first))?.text ?? "", first)
    }
  })

const textHits = (chats: ReadonlyArray<MemoryChat>, words: ReadonlyArray<string>): ReadonlyArray<TextHit> =>
  chatsWith(chats, words).flatMap(({ chat, texts }) => {
    const whole = texts.filter(({ text }) => words.every((word) => hasWord(text, word)))
    const some = whole.length > 0 ? whole : texts.filter(({ text }) => words.some((word) => hasWord(text, word)))
    return some.slice(0, MOST_TEXTS).map((text) =>
      hitIn(chat.record, text, words, chat.parts.filter(({ turn }) => turn === text.turn))
    )
  })

/** The chats with all these words, the last used first, and their texts in order. */
const chatsWith = (chats: ReadonlyArray<MemoryChat>, words: ReadonlyArray<string>) =>
  words.length === 0 ? [] : chats.map((chat) => ({ chat, texts: textsOf(chat) }))
    .filter(({ texts }) => words.every((word) => texts.some(({ text }) => hasWord(text, word))))
    .toSorted((one, other) => byUse(one.chat.record, other.chat.record))

const hasWord = (text: string, word: string): boolean => wordsOf(text).some((one) => one.startsWith(word))

const byUse = (one: ChatRecord, other: ChatRecord): number =>
  one.updatedAt === other.updatedAt ? (one.id < other.id ? -1 : 1) : one.updatedAt < other.updatedAt ? 1 : -1

const textsOf = ({ parts, record, turns }: MemoryChat): ReadonlyArray<FoundText> => {
  const said = Map.groupBy(parts, (part) => part.turn)
  const numbers = [...new Set([...turns.keys(), ...said.keys()])].toSorted((one, other) => one - other)
  return [
    { turn: 0, kind: Kind.title, text: searchable(record.title) },
    ...numbers.flatMap((turn) => [
      { turn, kind: Kind.message, text: searchable(turns.get(turn)?.text ?? "") },
      { turn, kind: Kind.answer, text: searchable(answerOf(said.get(turn) ?? [])) }
    ])
  ]
}
