/** The server's events while the page is open: its MCP servers, its chats, its configuration files. */
import { batch, computed, signal } from "@preact/signals"
import { listChats } from "../api/Api.ts"
import { type Connection, follow, type Following } from "../api/Events.ts"
import type { ConfigProblem, ServerEvent, ServerStatus } from "../api/Types.ts"
import { fileMode, loadAgents, loadModels, loadOwnCommand, loadTools, rulesVersion } from "./Catalog.ts"
import { chats, dropChat, placeChat } from "./ListedChats.ts"
import { getJson } from "./Loading.ts"
import { dropQuestion, placeQuestion, refreshQuestions } from "./OpenQuestions.ts"
import { loadMe } from "./people/Me.ts"

/** The servers that a change of the configuration added, changed and removed. */
export type Applied = Pick<ServerEvent & { type: "configuration" }, "added" | "changed" | "removed">

/** By name, as each stands now. */
export const servers = signal<ReadonlyMap<string, ServerStatus>>(new Map())
export const serverList = computed(() =>
  [...servers.value.values()].sort((one, other) => one.name < other.name ? -1 : 1)
)

/** The problems that keep whole configuration files from being used. */
export const configProblems = signal<ReadonlyArray<ConfigProblem>>([])

/** The outcome of the last change of the configuration, and of those shortly before it; null before the first. */
export const configNews = signal<Applied | null>(null)

/** "lost" while the server does not answer. */
export const connection = signal<Connection>("open")

export const refreshChats = () =>
  getJson(listChats(), ({ chats: all }) => {
    chats.value = all
  })

export const placeServer = (status: ServerStatus) => {
  const before = servers.value.get(status.name)
  servers.value = new Map(servers.value).set(status.name, status)
  if (before !== undefined && (before.state !== status.state || before.tools !== status.tools)) loadTools()
}

const takeConfiguration = (event: ServerEvent & { type: "configuration" }) => {
  const names = new Set(event.servers)
  const isGone = [...servers.value.keys()].some((name) => !names.has(name))
  if (isGone) servers.value = new Map([...servers.value].filter(([name]) => names.has(name)))
  configProblems.value = event.problems
  takeNews(event)
  if (isGone) loadTools()
}

/** Changes that come so soon after each other are told as one. */
const TOGETHER_MILLIS = 5000
let newsAt = 0

const union = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) => [...new Set([...one, ...other])]

const takeNews = (applied: Applied) => {
  const { added, changed, removed } = applied
  if (added.length + changed.length + removed.length === 0) return
  const before = Date.now() - newsAt < TOGETHER_MILLIS ? configNews.value : null
  newsAt = Date.now()
  configNews.value = before === null ? applied : {
    added: union(before.added, added),
    changed: union(before.changed, changed),
    removed: union(before.removed, removed)
  }
}

const take = (event: ServerEvent) => {
  switch (event.type) {
    case "server":
      return placeServer(event)
    case "configuration":
      return takeConfiguration(event)
    case "chat":
      return placeChat(event.chat)
    case "chat-removed":
      return dropChat(event.id)
    case "agents":
      return loadAgents()
    case "models":
      return loadModels()
    case "permissions":
      fileMode.value = event.write
      rulesVersion.value += 1
      return
    case "question":
      return placeQuestion(event)
    case "question-answer":
      return dropQuestion(event.id)
  }
}

/**
 * Takes what the events do not begin with: after the page was opened, and whenever the server was away. How servers
 * stand comes by the events alone, as an answer that was slow would put an old state in the place of a newer one.
 */
const refreshAll = () => {
  void refreshChats()
  void refreshQuestions()
  loadAgents()
  loadTools()
  loadOwnCommand()
  loadMe()
}

let news: ReadonlyArray<ServerEvent> = []

/** Events between two frames are drawn at once: a server that is busy changes many chats in a second. */
const receive = (event: ServerEvent) => {
  if (news.length === 0) {
    requestAnimationFrame(() => {
      const events = news
      news = []
      batch(() => events.forEach(take))
    })
  }
  news = [...news, event]
}

let following: Following | null = null

/**
 * Listens while somebody looks at the page: browsers allow few connections to one server over all tabs, so a tab that
 * nobody sees holds none.
 */
export const listen = () => {
  const attend = () => {
    if (document.hidden) {
      following?.close()
      following = null
      return
    }
    if (following !== null) return
    refreshAll()
    following = follow<ServerEvent>(() => "events", {
      document: receive,
      state: (state) => {
        if (state === "open" && connection.value !== "open") refreshAll()
        connection.value = state
      }
    })
  }
  document.addEventListener("visibilitychange", attend)
  attend()
}
