/** One turn of the conversation: what was asked, and its parts as they come. */
import { element } from "./dom.js"
import { blocks } from "./markdown.js"
import { toolCall } from "./toolcall.js"

/** Gives the element, `add` for each part, and `isDone`. */
export const turn = ({ text, agent, model }) => {
  const body = element("div", { class: "parts" })
  const node = element(
    "article",
    { class: "turn", "aria-busy": "true" },
    element("div", { class: "asked" }, element("h3", { class: "visually-hidden" }, "You"), element("p", {}, text)),
    element("div", { class: "answer" }, element("h3", {}, agent, element("span", {}, model)), body)
  )
  const waiting = element("p", { class: "waiting" }, element("span", { class: "visually-hidden" }, "working"))
  body.append(waiting)
  const calls = new Map()
  let open = null
  let done = false

  /** Deltas of one kind that follow each other are one text. */
  const delta = (type, piece) => {
    if (open === null || open.type !== type) {
      open = type === "reasoning-delta" ? reasoning() : answer()
      waiting.before(open.node)
    }
    open.write(piece)
  }

  const block = (child) => {
    open = null
    waiting.before(child)
  }

  const finish = ({ reason, usage }) => {
    done = true
    waiting.remove()
    node.setAttribute("aria-busy", "false")
    const said = FINISH[reason] ?? null
    const tokens = usage.inputTokens === null && usage.outputTokens === null
      ? null
      : `${usage.inputTokens ?? "?"} tokens in, ${usage.outputTokens ?? "?"} out`
    const words = [said, tokens].filter((word) => word !== null).join(" · ")
    if (words !== "") body.append(element("p", { class: "note" }, words))
  }

  const call = (part) => {
    const made = toolCall(part)
    calls.set(part.id, made)
    block(made.node)
  }

  const handlers = {
    "text-delta": (part) => delta(part.type, part.text),
    "reasoning-delta": (part) => delta(part.type, part.text),
    "tool-call": call,
    "tool-progress": (part) => calls.get(part.id)?.progress(part),
    "tool-result": (part) => calls.get(part.id)?.settle(part),
    "warning": (part) => block(element("p", { class: "warning" }, part.message)),
    "error": (part) =>
      block(element("div", { class: "error", role: "alert" }, element("p", {}, part.message), hint(part.hint))),
    finish
  }

  // A part of a kind that a later server knows is no reason to stop.
  return { node, add: (part) => handlers[part.type]?.(part), isDone: () => done }
}

const FINISH = {
  length: "Cut: the model reached its limit.",
  steps: "Stopped: the agent's number of steps is used up.",
  stopped: "Stopped.",
  "content-filter": "Cut by the provider's content filter."
}

const hint = (text) => element("p", { class: "hint" }, text)

const answer = () => {
  const node = element("div", { class: "text" })
  let text = ""
  let drawn = false
  // Many deltas can come between two frames, and each would build the whole text again.
  const draw = () => {
    drawn = false
    node.replaceChildren(...blocks(text))
  }
  const write = (piece) => {
    text += piece
    if (drawn) return
    drawn = true
    requestAnimationFrame(draw)
  }
  return { type: "text-delta", node, write }
}

const reasoning = () => {
  const content = element("p", {})
  const node = element("details", { class: "reasoning" }, element("summary", {}, "Reasoning"), content)
  return { type: "reasoning-delta", node, write: (piece) => content.append(piece) }
}
