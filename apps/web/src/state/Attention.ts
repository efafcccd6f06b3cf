/**
 * Approvals and questions that wait for a person in any chat: the title and the icon of the tab show them, and a
 * notification where the person allowed that.
 *
 * A tab that is seen hears of them by its events. Hidden tabs hold no stream of events, as browsers allow few: the one that
 * holds a lock asks every 15 s and tells the others, and when it closes another one gets the lock. Where a page is not
 * secure there are no locks, so each hidden tab asks for itself.
 */
import { computed, effect, signal } from "@preact/signals"
import { listApprovals, listChats, listQuestions } from "../api/Api.ts"
import { needsLogin } from "../api/Client.ts"
import type { ChatSummary } from "../api/Types.ts"
import { attention as words, shell } from "../messages/ShellMessages.ts"
import { chats } from "./ListedChats.ts"
import { questions } from "./OpenQuestions.ts"
import { go } from "./Route.ts"

/** The page's own title for the tab; null is nothing of its own. */
export const heading = signal<string | null>(null)

/** A call or a question that waits for a person; `chat` is null outside of chats. */
interface Asked {
  readonly id: string
  readonly chat: string | null
  readonly text: string
}

const NAME = "boocode.attention"
const EVERY_MILLIS = 15_000
/** A question of a server may be long, and a system shows little of it. */
const MOST_CHARACTERS = 200

/** The ids of what waits. */
const known = signal<ReadonlySet<string>>(new Set())

/** Changes with what the events tell. */
const heard = computed(() =>
  [
    ...(chats.value ?? []).flatMap(({ approvals, id, questions: asked }) =>
      approvals + asked > 0 ? `${id} ${approvals} ${asked}` : []
    ),
    ...questions.value.map(({ id }) => id)
  ].join("\n")
)

const read = async (): Promise<ReadonlyArray<Asked>> => {
  const [{ pending }, { questions: open }] = await Promise.all([listApprovals(), listQuestions()])
  return [
    ...pending.map(({ chat, id, name }) => ({ id, chat, text: words.call(name) })),
    ...open.map(({ chat, id, kind, message, server, wanted }) => ({
      id,
      chat,
      text: wanted !== undefined
        ? words.call(wanted.name)
        : kind === "sampling"
        ? words.sampling(server)
        : words.question(server, message)
    }))
  ]
}

/** False where the browser has none, or the page does not come over a secure connection. */
export const canNotify = "Notification" in globalThis && isSecureContext

const wantsNotes = () => localStorage.getItem(NAME) === "yes"

/** Whether a person wants notifications; "refused" by the browser, which the page cannot change. */
export const notes = signal<"on" | "off" | "refused">("off")

/** Reads the permission that holds now: a person may have changed it in the browser's own settings. */
export const lookAtNotes = () => {
  if (!canNotify) return
  notes.value = Notification.permission === "denied"
    ? "refused"
    : wantsNotes() && Notification.permission === "granted"
    ? "on"
    : "off"
}

/** Asks the browser where it has not been asked. */
export const setNotes = async (isWanted: boolean) => {
  localStorage.setItem(NAME, isWanted ? "yes" : "no")
  if (isWanted) await Notification.requestPermission()
  lookAtNotes()
}

const notify = ({ chat, id, text }: Asked, all: ReadonlyArray<Pick<ChatSummary, "id" | "title">>) => {
  const title = all.find((one) => one.id === chat)?.title ?? shell.name
  const body = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
  const note = new Notification(words.waits(title), { body, tag: id, icon: "/icon.svg" })
  note.addEventListener("click", () => {
    window.focus()
    if (chat !== null) go("chat", [chat])
    note.close()
  })
}

const take = (ids: ReadonlyArray<string>) => {
  known.value = new Set(ids)
}

/** Asks the server, and tells the other tabs. Things they know of are no news for a person. */
const look = async (channel: BroadcastChannel) => {
  if (needsLogin.value) return
  const asked = await read()
  const news = asked.filter(({ id }) => !known.value.has(id))
  const ids = asked.map(({ id }) => id)
  take(ids)
  channel.postMessage(ids)
  lookAtNotes()
  if (news.length === 0 || !document.hidden || notes.value !== "on") return
  // A hidden tab knows an old list of chats.
  const { chats: all } = await listChats()
  for (const one of news) notify(one, all)
}

/** Shows from now on what waits. */
export const attend = () => {
  lookAtNotes()
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener("message", ({ data }) => take(data))
  let isAsking = false
  let isStale = false
  /** One request at a time: an answer must not come after a newer one. */
  const ask = async () => {
    isStale = true
    if (isAsking) return
    isAsking = true
    while (isStale) {
      isStale = false
      // A server that is away is told of elsewhere.
      await look(channel).catch(() => undefined)
    }
    isAsking = false
  }
  const lead = () => new Promise<never>(() => setInterval(() => document.hidden && void ask(), EVERY_MILLIS))
  void ("locks" in navigator ? navigator.locks.request(NAME, lead) : lead())
  document.addEventListener("visibilitychange", () => document.hidden || void ask())
  effect(() => {
    if (heard.value !== "" || known.peek().size > 0) void ask()
  })
  const icon = document.querySelector("link[rel=icon]")
  effect(() => {
    const { size } = known.value
    const title = heading.value === null ? shell.name : `${heading.value} · ${shell.name}`
    document.title = size === 0 ? title : `(${size}) ${title}`
    icon?.setAttribute("href", size === 0 ? "/icon.svg" : "/icon-waiting.svg")
  })
}
