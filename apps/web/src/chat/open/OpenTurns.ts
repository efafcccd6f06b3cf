/** The turns of the open chat: what an answer says of the whole chat, and the parts that come one by one. */
import { type Signal, signal } from "@preact/signals"
import type { CallDraft, ChatTurn, Part } from "../../api/Types.ts"
import { add, draft, EMPTY, type TurnModel } from "./TurnModel.ts"
import { WrittenCalls } from "./WrittenCalls.ts"

type TurnAbout = Omit<ChatTurn, "parts">

/** One turn. Each of its two signals changes alone, so that streaming draws one turn and nothing else. */
export interface Turn {
  readonly number: number
  readonly about: Signal<TurnAbout>
  readonly model: Signal<TurnModel>
}

const isSame = (one: TurnAbout, other: TurnAbout) =>
  one.state === other.state && one.replacedBy === other.replacedBy && one.agent === other.agent &&
  one.model === other.model && one.text === other.text && one.hurried === other.hurried &&
  one.attachments.length === other.attachments.length

/** Takes one part of a turn after the other, in the order of their `seq`. */
const takeInto = ({ about, model }: Turn, parts: ReadonlyArray<Part>) => {
  model.value = add(model.value, parts)
  const state = model.value.finish === null ? "running" : "ended"
  if (about.value.state !== state) about.value = { ...about.value, state }
}

export class OpenTurns {
  /** By their numbers, waiting ones included. */
  readonly list = signal<ReadonlyArray<Turn>>([])
  /** Parts of turns that no answer told of yet. A later part without these would make them look as if they were known. */
  #early: ReadonlyArray<Part> = []
  #earlyDrafts: Array<CallDraft> = []
  readonly #written = new WrittenCalls()

  /** Takes what an answer says. It can be older than parts that came meanwhile. */
  place(turns: ReadonlyArray<ChatTurn>): void {
    const before = new Map(this.list.value.map((turn) => [turn.number, turn]))
    const after = turns.map(({ parts, ...about }) => {
      const known = before.get(about.turn)
      if (known === undefined) {
        return { number: about.turn, about: signal<TurnAbout>(about), model: signal(add(EMPTY, parts)) }
      }
      if (!isSame(known.about.value, about)) known.about.value = about
      known.model.value = add(known.model.value, parts)
      return known
    })
    const isNew = after.length !== before.size || after.some(({ number }) => !before.has(number))
    if (isNew) this.list.value = after
    this.take([])
    this.takeDrafts([])
  }

  /** Takes parts that follow each other. "stale": only an answer about the whole chat tells the rest. */
  take(parts: ReadonlyArray<Part>): "known" | "stale" {
    const byTurn = Map.groupBy([...this.#early, ...parts], ({ turn }) => turn)
    this.#early = []
    let known: "known" | "stale" = "known"
    this.#written.end(parts)
    for (const [number, ofTurn] of byTurn) {
      const turn = this.list.value.find((each) => each.number === number)
      // Which agent and model answer is known once it no longer waits.
      if (turn === undefined || turn.about.value.state === "waiting") known = "stale"
      if (turn === undefined) this.#early = [...this.#early, ...ofTurn]
      else takeInto(turn, ofTurn)
    }
    return known
  }

  /** Takes pieces of calls that are being written. "stale", as of parts. */
  takeDrafts(pieces: ReadonlyArray<CallDraft>): "known" | "stale" {
    const all = [...this.#earlyDrafts, ...pieces]
    this.#earlyDrafts = []
    let known: "known" | "stale" = "known"
    for (const piece of all) {
      const turn = this.list.value.find(({ number }) => number === piece.turn)
      if (turn === undefined || turn.about.value.state === "waiting") known = "stale"
      if (turn === undefined) this.#earlyDrafts.push(piece)
      else {
        const drafted = this.#written.take(piece)
        if (drafted !== null) turn.model.value = draft(turn.model.value, drafted)
      }
    }
    return known
  }

  /** The highest `seq` that came, 0 before the first. */
  seq(): number {
    const seen = this.list.value.map(({ model }) => model.value.seq)
    return Math.max(0, ...seen, ...this.#early.map(({ seq }) => seq))
  }
}
