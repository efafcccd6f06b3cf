/** The page: which chat is open, what is typed, and who is told. */
import { get, listen, post, remove, send } from "./api.js"
import { conversation } from "./conversation.js"
import { byId, element } from "./dom.js"
import * as servers from "./servers.js"
import { showModels } from "./welcome.js"

const composer = byId("composer")
const message = byId("message")
const agents = byId("agent")
let current = null
let events = null

// The chat in the address is the one that is open, so that a reload or a bookmark comes back to it.
const addressed = () => /^#chat\/(.+)$/.exec(location.hash)?.[1] ?? null

const say = (text) => {
  byId("offline").textContent = text ?? ""
  byId("offline").hidden = text === null
}

const tell = (error) => say(error.hint ? `${error.message}. ${error.hint}` : error.message)

const onState = (state) => {
  if (state === "gone") return openChat(null)
  say(state === "lost" ? "The connection to the server is lost; trying again …" : null)
}

const refresh = () => {
  const isRunning = current?.isRunning() ?? false
  byId("stop").hidden = !isRunning
  byId("welcome").hidden = byId("log").childElementCount > 0
  document.body.classList.toggle("working", isRunning)
  drawChats().catch(tell)
}

const openChat = async (id) => {
  current?.close()
  current = null
  drawers(false)
  if (id === null) {
    history.replaceState(null, "", location.pathname)
    refresh()
    return
  }
  const opened = conversation(id, { onChange: refresh, onState })
  current = opened
  history.replaceState(null, "", `#chat/${encodeURIComponent(id)}`)
  try {
    const chat = await opened.load()
    if (chat.agent !== null) agents.value = chat.agent
    byId("scroll").scrollTo({ top: byId("scroll").scrollHeight })
    opened.resume()
  } catch (error) {
    if (current === opened) current = null
    history.replaceState(null, "", location.pathname)
    tell(error)
  }
  refresh()
}

const submit = async () => {
  const text = message.value.trim()
  if (text === "") return
  message.value = ""
  say(null)
  let forget = null
  try {
    if (current === null) {
      const chat = await post("chats", { agent: agents.value || null })
      await openChat(chat.id)
    }
    forget = current.expect(text)
    byId("welcome").hidden = true
    await send(current.id, { text, agent: agents.value || null })
  } catch (error) {
    forget?.()
    if (message.value === "") message.value = text
    tell(error)
  }
  refresh()
}

const stop = async () => {
  if (current === null || !current.isRunning()) return
  const dropped = current.dropPending()
  if (message.value === "") message.value = dropped.join("\n")
  await post(`chats/${encodeURIComponent(current.id)}/stop`).catch(tell)
}

const drawChats = async () => {
  const { chats } = await get("chats")
  byId("chat-list").replaceChildren(...chats.map(chatItem))
  return chats
}

const chatItem = ({ id, title, running }) =>
  element(
    "li",
    { class: running === null ? null : "running" },
    element(
      "button",
      {
        type: "button",
        class: "chat",
        "aria-current": current?.id === id ? "true" : null,
        onclick: () => openChat(id)
      },
      title || "New chat",
      running === null ? null : element("span", { class: "visually-hidden" }, ", running")
    ),
    element("button", {
      type: "button",
      class: "delete",
      "aria-label": `Delete ${title || "New chat"}`,
      onclick: () => forgetChat(id, title)
    }, "×")
  )

const forgetChat = async (id, title) => {
  if (!confirm(`Delete “${title || "New chat"}”?`)) return
  await remove(`chats/${encodeURIComponent(id)}`).catch(tell)
  if (current?.id === id) await openChat(null)
  else await drawChats()
}

const drawAgents = async () => {
  const { agents: all, problems } = await get("agents")
  const chosen = agents.value
  agents.replaceChildren(
    ...all.map(({ name, description }) => element("option", { value: name, title: description }, name))
  )
  if (all.some(({ name }) => name === chosen)) agents.value = chosen
  if (problems.length > 0) {
    const [{ file, line, message: why }] = problems
    say(`${file}, line ${line}: ${why}`)
  }
}

const drawWelcome = async () => {
  const [models, { tools }] = await Promise.all([get("models"), get("tools")])
  showModels(models, tools.map(({ name }) => name), (text) => {
    message.value = text
    message.focus()
  })
}

const drawers = (open, which) => {
  for (const [button, panel] of [["show-chats", "chats"], ["show-servers", "servers"]]) {
    const isOpen = open && panel === which
    byId(panel).classList.toggle("open", isOpen)
    byId(button).setAttribute("aria-expanded", String(isOpen))
  }
}

const toggle = (panel) => drawers(!byId(panel).classList.contains("open"), panel)

// Browsers allow six connections to one server over all tabs; a tab nobody sees holds none.
const follow = () => {
  if (document.hidden) {
    events?.close()
    events = null
    current?.pause()
    return
  }
  events ??= listen("events", onServerEvent, onServersState)
  current?.resume()
}

const onServerEvent = (event) => {
  const take = event.type === "configuration" ? servers.configured : servers.update
  take(event, () => drawWelcome().catch(tell))
}

const onServersState = (state) => onState(state === "gone" ? "lost" : state)

const start = async () => {
  message.focus()
  const [{ servers: all, problems }] = await Promise.all([get("mcp/servers"), drawAgents(), drawWelcome()])
  servers.reset(all, problems)
  const chats = await drawChats()
  await openChat(addressed() ?? chats.find(({ running }) => running !== null)?.id ?? null)
  follow()
}

composer.addEventListener("submit", (event) => {
  event.preventDefault()
  void submit()
})
message.addEventListener("keydown", (event) => {
  // An Enter that ends a composition (Japanese, Chinese) is not one that sends.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
  event.preventDefault()
  composer.requestSubmit()
})
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || byId("model").open) return
  if (byId("chats").classList.contains("open") || byId("servers").classList.contains("open")) drawers(false)
  else void stop()
})
byId("stop").addEventListener("click", stop)
byId("new-chat").addEventListener("click", () => openChat(null).then(() => message.focus()))
byId("show-chats").addEventListener("click", () => toggle("chats"))
byId("show-servers").addEventListener("click", () => toggle("servers"))
byId("reload").addEventListener("click", () => servers.reload().catch(tell))
byId("show-model").addEventListener("click", () => byId("model").showModal())
document.addEventListener("visibilitychange", follow)
addEventListener("hashchange", () => openChat(addressed()))

start().catch(tell)
