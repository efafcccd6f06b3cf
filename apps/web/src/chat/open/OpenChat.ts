/** The chat that is open: its turns, kept up to date by its events, also over a lost connection. */
import { computed, signal } from "@preact/signals"
import { createContext } from "preact"
import { dropQueued, editSummary, getChat, hurryQueued, send, stopChat } from "../../api/Api.ts"
import { Problem } from "../../api/Client.ts"
import { follow, type Following } from "../../api/Events.ts"
import type { CallDraft, Chat, NewMessage, Part } from "../../api/Types.ts"
import { placeAnswered } from "../../state/ListedChats.ts"
import { connection } from "../../state/Live.ts"
import { tellError } from "../../state/Loading.ts"
import { OpenTurns, seqOf } from "./OpenTurns.ts"
import { replaceSummary } from "./TurnModel.ts"

/** How long a chat waits for a server that does not answer. */
const AGAIN_MILLIS = 2000

/** A message on its way to the server. */
interface Pending {
  readonly key: number
  readonly text: string
  readonly replaces: number | null
  /** The newest turn as it was sent. */
  readonly after: number
}

export class OpenChat {
  readonly id: string
  readonly #turns = new OpenTurns()
  readonly turns = this.#turns.list
  readonly #sending = signal<ReadonlyArray<Pending>>([])
  /** The messages without a turn yet. An event can tell of a turn before the server answers its message. */
  readonly pending = computed(() =>
    this.#sending.value.filter(({ after, text }) =>
      !this.turns.value.some(({ about, number }) => number > after && about.value.text === text)
    )
  )
  /** Null until the chat is there; a problem when it cannot be had. */
  readonly state = signal<"loading" | "open" | Problem>("loading")
  /** The turn that runs. */
  readonly running = computed(() =>
    this.turns.value.find(({ about, model }) => about.value.state !== "waiting" && model.value.finish === null) ?? null
  )
  readonly waiting = computed(() => this.turns.value.filter(({ about }) => about.value.state === "waiting"))

  #following: Following | null = null
  #isClosed = false
  #queue: Array<Part | CallDraft> = []
  #frame: number | null = null
  #loading: Promise<void> | null = null
  #isStale = false
  #dropping: ReturnType<typeof setTimeout> | undefined

  constructor(id: string) {
    this.id = id
    document.addEventListener("visibilitychange", this.#attend)
    void this.load().then(this.#attend)
  }

  close() {
    this.#isClosed = true
    this.#following?.close()
    clearTimeout(this.#dropping)
    document.removeEventListener("visibilitychange", this.#attend)
    if (this.#frame !== null) cancelAnimationFrame(this.#frame)
  }

  /** Reads the chat anew. While that is under way another call has it read once more, after what happened since. */
  load = (): Promise<void> => {
    if (this.#loading !== null) {
      this.#isStale = true
      return this.#loading
    }
    const reading = this.#read().finally(() => {
      this.#loading = null
      if (!this.#isStale || this.#isClosed) return undefined
      this.#isStale = false
      return this.load()
    })
    this.#loading = reading
    return reading
  }

  async #read() {
    const place = placeAnswered(this.id)
    try {
      const chat = await getChat(this.id)
      if (this.#isClosed) return
      place(summaryOf(chat))
      this.#turns.place(chat.turns)
      this.state.value = "open"
    } catch (error) {
      if (this.#isClosed || !(error instanceof Problem)) return tellError(error)
      // Without a server the draft stays in sight, and the chat comes as soon as there is one.
      if (error.status === 0 && this.state.value === "loading") return void setTimeout(this.#again, AGAIN_MILLIS)
      // One that was open already stays readable while the server is away.
      if (this.state.value !== "open" || error.status === 404) this.state.value = error
    }
  }

  #again = () => this.#isClosed || void this.load()

  #attend = () => {
    if (document.hidden || this.#isClosed || this.state.value instanceof Problem) {
      this.#following?.close()
      this.#following = null
      return
    }
    if (this.#following !== null) return
    this.#following = follow<Part | CallDraft>(
      () => `chats/${encodeURIComponent(this.id)}/events?after=${this.#seq()}&drafts=true`,
      {
        document: this.#receive,
        state: (state) => {
          if (state === "open") this.#beginAnew()
          // Events of the time away, such as the mark of a turn, are in the chat itself.
          if (state === "open" && connection.value === "lost") void this.load()
          if (state === "gone") void this.load()
        }
      }
    )
  }

  #newest() {
    return Math.max(0, ...this.turns.value.map(({ number }) => number))
  }

  #seq() {
    return Math.max(this.#turns.seq(), ...this.#queue.map(seqOf))
  }

  /** A server that was started again does not say which calls are no longer written; one that was not tells of all at once. */
  #beginAnew() {
    this.#queue = this.#queue.filter(({ type }) => type !== "tool-draft")
    this.#turns.beginAnew()
    clearTimeout(this.#dropping)
    this.#dropping = setTimeout(() => this.#turns.dropUntold(), AGAIN_MILLIS)
  }

  /** Many parts can come between two frames; all are drawn at once. */
  #receive = (event: Part | CallDraft) => {
    this.#queue.push(event)
    this.#frame ??= requestAnimationFrame(this.#flush)
  }

  #flush = () => {
    this.#frame = null
    if (this.#turns.take(this.#queue.splice(0)) === "stale") void this.load()
  }

  /** Sends a message; it is shown at once, and gone again when the server does not take it. */
  send = async (message: NewMessage): Promise<void> => {
    const entry = {
      key: performance.now(),
      text: message.text,
      replaces: message.replaces ?? null,
      after: this.#newest()
    }
    this.#sending.value = [...this.#sending.value, entry]
    try {
      await send(this.id, message)
      await this.load()
      // A load that was under way already may have missed it.
      await this.#loading
    } finally {
      this.#sending.value = this.#sending.value.filter(({ key }) => key !== entry.key)
    }
  }

  /** Ends the running turn. Queued messages stay, and the next one begins. */
  stop = (): Promise<null> => stopChat(this.id)

  /** Gives a note about older turns another text. */
  editSummary = async (summary: string, text: string): Promise<void> => {
    const part = await editSummary(this.id, summary, text)
    const turn = this.turns.value.find(({ number }) => number === part.turn)
    if (turn !== undefined) turn.model.value = replaceSummary(turn.model.value, part)
  }

  /** Has the running turn take a message that waits. */
  hurry = async (turn: number): Promise<void> => {
    await hurryQueued(this.id, turn)
    await this.load()
  }

  drop = async (turn: number): Promise<void> => {
    await dropQueued(this.id, turn)
    await this.load()
  }
}

const summaryOf = ({ turns: _turns, usage: _usage, ...summary }: Chat) => summary

/** The id of the chat that a part of the page is about. */
export const ChatId = createContext("")

/** Where readers of a shared chat find its files; null in a chat of one's own. */
export const SharedFiles = createContext<
  {
    readonly attached: (file: string) => string
    readonly ofCall: (call: string, file: string) => string
  } | null
>(null)

/** The chat that a part of the page is about; null where none is open. */
export const Opened = createContext<OpenChat | null>(null)
