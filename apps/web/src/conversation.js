/** The open chat: its turns in order, kept up to date by the chat's events. */
import { get, listen } from "./api.js"
import { byId, element } from "./dom.js"
import { turn } from "./turn.js"

const log = byId("log")
const scroll = byId("scroll")

/**
 * Shows a chat and follows it. `onChange` is told when a turn begins or ends, `onState` how the connection is.
 * `pause` and `resume` are for a page nobody looks at: browsers allow few connections to one server.
 */
export const conversation = (id, { onChange, onState }) => {
  const turns = new Map()
  const pending = []
  let seq = 0
  let source = null
  let closed = false
  // Parts are taken one after the other, also when one has to ask the server first.
  let work = Promise.resolve()

  const isRunning = () => [...turns.values()].some((each) => !each.isDone())

  const take = (part) => {
    if (part.seq <= seq) return
    seq = part.seq
    const near = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80
    turns.get(part.turn)?.add(part)
    if (near) requestAnimationFrame(() => scroll.scrollTo({ top: scroll.scrollHeight }))
    if (part.type === "finish") onChange()
  }

  const show = (each) => {
    if (!turns.has(each.turn)) {
      const made = turn(each)
      turns.set(each.turn, made)
      const index = pending.findIndex(({ text }) => text === each.text)
      if (index !== -1) pending.splice(index, 1)[0].node.remove()
      log.insertBefore(made.node, pending[0]?.node ?? null)
      onChange()
    }
    for (const part of each.parts) take(part)
  }

  const load = async () => {
    const chat = await get(`chats/${encodeURIComponent(id)}`)
    if (!closed) chat.turns.forEach(show)
    return chat
  }

  const receive = async (part) => {
    if (closed) return
    if (!turns.has(part.turn)) await load()
    // A queued message that was dropped has a last part, but never was a turn.
    if (turns.has(part.turn)) take(part)
    else seq = Math.max(seq, part.seq)
  }

  const resume = () => {
    if (closed || source !== null) return
    source = listen(
      `chats/${encodeURIComponent(id)}/events?after=${seq}`,
      (part) => work = work.then(() => receive(part)).catch(() => onState("lost")),
      onState
    )
  }

  const pause = () => {
    source?.close()
    source = null
  }

  const close = () => {
    closed = true
    pause()
    log.replaceChildren()
  }

  /** Shows a message that no turn has taken up yet; gives a function that takes it away again. */
  const expect = (text) => {
    const entry = {
      text,
      node: element("article", { class: "turn pending" }, element("div", { class: "asked" }, element("p", {}, text)))
    }
    pending.push(entry)
    log.append(entry.node)
    scroll.scrollTo({ top: scroll.scrollHeight })
    return () => {
      const index = pending.indexOf(entry)
      if (index !== -1) pending.splice(index, 1)
      entry.node.remove()
    }
  }

  /** Messages that were queued when the turn was stopped never become turns. */
  const dropPending = () => pending.splice(0).map(({ node, text }) => (node.remove(), text))

  return { id, load, resume, pause, close, expect, dropPending, isRunning }
}
