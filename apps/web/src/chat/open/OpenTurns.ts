/** The turns of the open chat: what an answer says of the whole chat, and the parts that come one by one. */
import { type Signal, signal } from "@preact/signals"
import type { CallDraft, ChatTurn, Part } from "../../api/Types.ts"
import { add, draft, EMPTY, endDrafts, type TurnModel } from "./TurnModel.ts"
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

/** The number of a part; pieces of calls have none. */
export const seqOf = (event: Part | CallDraft): number => event.type === "tool-draft" ? 0 : event.seq

/** Takes one part of a turn after the other, in the order of their `seq`. */
const takeInto = ({ about, model }: Turn, parts: ReadonlyArray<Part>) => {
  // An answer can have told of them already, but not of the drafts that came before them.
  model.value = endDrafts(add(model.value, parts), parts)
  const state = model.value.finish === null ? "running" : "ended"
  if (about.value.state !== state) about.value = { ...about.value, state }
}

export class OpenTurns {
  /** By their numbers, waiting ones included. */
  readonly list = signal<ReadonlyArray<Turn>>([])
  /** Events of turns that no answer told of yet. A later part without these would make them look as if they were known. */
  #early: ReadonlyArray<Part | CallDraft> = []
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
  }

  /**
   * Takes parts, and pieces of calls that are being written, in the order in which they came. "stale": only an answer
   * about the whole chat tells the rest.
   */
  take(events: ReadonlyArray<Part | CallDraft>): "known" | "stale" {
    const byTurn = Map.groupBy([...this.#early, ...events], ({ turn }) => turn)
    this.#early = []
    let known: "known" | "stale" = "known"
    for (const [number, ofTurn] of byTurn) {
      const turn = this.list.value.find((each) => each.number === number)
      // Which agent and model answer is known once it no longer waits.
      if (turn === undefined || turn.about.value.state === "waiting") known = "stale"
      if (turn === undefined) this.#early = [...this.#early, ...ofTurn]
      else this.#takeAll(turn, ofTurn)
    }
    return known
  }

  #takeAll(turn: Turn, events: ReadonlyArray<Part | CallDraft>): void {
    let parts: Array<Part> = []
    const takeParts = () => {
      if (parts.length === 0) return
      this.#written.end(parts)
      takeInto(turn, parts)
      parts = []
    }
    for (const event of events) {
      if (event.type !== "tool-draft") {
        parts.push(event)
        continue
      }
      takeParts()
      const drafted = this.#written.take(event)
      if (drafted !== null) turn.model.value = draft(turn.model.value, drafted)
    }
    takeParts()
  }

  /** Events begin anew, and tell of what is being written from its beginning. It stays in sight meanwhile. */
  beginAnew(): void {
    this.#early = this.#early.filter(({ type }) => type !== "tool-draft")
    this.#written.clear()
  }

  /** Forgets what was being written and was not told of since events began anew: a server that ended never tells of its end. */
  dropUntold(): void {
    for (const { model } of this.list.value) {
      const drafts = model.value.drafts.filter(({ call }) => this.#written.has(call.id))
      if (drafts.length < model.value.drafts.length) model.value = { ...model.value, drafts }
    }
  }

  /** The highest `seq` that came, 0 before the first. */
  seq(): number {
    const seen = this.list.value.map(({ model }) => model.value.seq)
    return Math.max(0, ...seen, ...this.#early.map(seqOf))
  }
}
