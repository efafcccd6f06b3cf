/** Matches results with calls, and gives each call an id of its own. */
import type { Piece, Shape } from "./MessageShape.ts"

export interface Item<Part> {
  /** The index of its message. */
  readonly at: number
  readonly part: Part
  readonly piece: Piece
}

export interface Matched<Part> {
  /** Its own; a later call of a taken id gets another one, since Anthropic wants ids unique in the whole history. */
  readonly id: string
  readonly name: string
  readonly result: Item<Part> | null
}

export interface Matches<Part> {
  readonly calls: ReadonlyMap<Item<Part>, Matched<Part>>
  readonly claimed: ReadonlySet<Item<Part>>
}

export const itemsOf = <Message, Part>(
  shape: Shape<Message, Part>,
  messages: ReadonlyArray<Message>
): ReadonlyArray<ReadonlyArray<Item<Part>>> =>
  messages.map((message, at) => {
    const isAssistant = shape.role(message) === "assistant"
    const parts = shape.parts(message)
    const words = parts.findLastIndex((part) => shape.piece(part, true).type !== "call")
    return parts.map((part, index) => {
      const piece = shape.piece(part, at === messages.length - 1 && index > words)
      // A call in a message of another role is no call.
      return { at, part, piece: isAssistant || piece.type !== "call" ? piece : SAID }
    })
  })

const SAID: Piece = { type: "said" }

/**
 * Matches calls and results. A result belongs to the last call of its id in front of it; where there is none, to the
 * first one behind it. The first of several results counts. One of several calls of an id in one message stays: the
 * first that holds its result, or else the first.
 */
export const match = <Part>(items: ReadonlyArray<Item<Part>>): Matches<Part> => {
  const results = Map.groupBy(items.filter(({ piece }) => piece.type === "result"), idOf)
  const byId = Map.groupBy(items.filter(({ piece }) => piece.type === "call"), idOf)
  const taken = new Set(byId.keys())
  const calls = new Map<Item<Part>, Matched<Part>>()
  for (const [id, all] of byId) {
    const ofId = [...Map.groupBy(all, ({ at }) => at).values()].flatMap((same) =>
      same.find(holdsResult) ?? same[0] ?? []
    )
    for (const [index, call] of ofId.entries()) {
      const end = ofId[index + 1]?.at ?? Infinity
      const own = (results.get(id) ?? []).filter(({ at }) => at < end && (index === 0 || at >= call.at))
      const result = own.find(({ at }) => at >= call.at) ?? own[0] ?? null
      calls.set(call, { id: index === 0 ? id : freeId(taken, id), name: nameOf(call), result })
    }
  }
  return { calls, claimed: new Set([...calls.values()].flatMap(({ result }) => result ?? [])) }
}

const holdsResult = <Part>({ piece }: Item<Part>): boolean => piece.type === "call" && piece.result === "within"

const idOf = <Part>({ piece }: Item<Part>): string => piece.type === "call" || piece.type === "result" ? piece.id : ""

const nameOf = <Part>({ piece }: Item<Part>): string => piece.type === "call" ? piece.name : ""

/** The id, or the next one behind it that is not taken, and takes it. */
export const freeId = (taken: Set<string>, id: string): string => {
  let own = id
  for (let count = 2; taken.has(own); count++) own = `${id}_${count}`
  taken.add(own)
  return own
}
