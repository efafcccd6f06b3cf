/** One tool call: its name and arguments, how far it is, and its result, folded with a summary. */
import { count, element } from "./dom.js"

/** Gives the element and what is done to it as progress and the result come. */
export const toolCall = ({ name, server, args }) => {
  const state = element("span", { class: "state" }, "running")
  const gist = element("p", { class: "gist" }, "waiting for the result …")
  const result = element("div", {})
  const bar = element("progress", { "aria-label": `progress of ${name}` })
  bar.hidden = true
  const node = element(
    "section",
    { class: "tool running", "aria-label": `Tool call ${name}` },
    element(
      "p",
      { class: "call" },
      element("span", { class: "name" }, name),
      " ",
      element("code", { class: "args" }, compact(args)),
      state
    ),
    bar,
    gist,
    element(
      "details",
      {},
      element("summary", {}, "Arguments and result"),
      element("h3", {}, server === null ? "Arguments, to a built-in tool" : `Arguments, to the server ${server}`),
      element("pre", { tabindex: "0" }, pretty(args)),
      result
    )
  )

  const progress = (part) => {
    bar.hidden = false
    if (part.total === null) bar.removeAttribute("value")
    else {
      bar.max = part.total
      bar.value = part.progress
    }
    const number = part.total === null ? String(part.progress) : `${part.progress} of ${part.total}`
    gist.textContent = part.message === null ? number : `${number}: ${part.message}`
  }

  const settle = (part) => {
    bar.hidden = true
    node.classList.remove("running")
    if (part.isError) node.classList.add("failed")
    state.textContent = `${part.isError ? "failed" : "done"}, ${duration(part.millis)}`
    gist.textContent = summary(part.text)
    result.replaceChildren(
      element("h3", {}, part.isError ? "Error" : "Result"),
      element("pre", { tabindex: "0" }, part.text),
      ...images(part.content),
      ...cut(part.truncated)
    )
  }

  return { node, progress, settle }
}

const compact = (args) => {
  const text = JSON.stringify(args)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

const pretty = (args) => JSON.stringify(args, null, 2)

const summary = (text) => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const first = (lines[0] ?? "").trim()
  const short = first.length > 140 ? `${first.slice(0, 139)}…` : first
  return lines.length > 1 ? `${short} … ${count(lines.length, "line")}` : short
}

const duration = (millis) => millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`

const IMAGE = /^image\/(png|jpeg|gif|webp)$/

const images = (content) =>
  content.filter((block) => block.type === "image" && IMAGE.test(block.mimeType) && typeof block.data === "string")
    .map((block) => element("img", { src: `data:${block.mimeType};base64,${block.data}`, alt: "image from the tool" }))

const cut = (truncated) => {
  // A result that is whole here may still be too long for a model.
  if (truncated === null || truncated.shownBytes === truncated.bytes) return []
  const file = truncated.file === null ? "" : ` The whole of it is kept as ${truncated.file}.`
  return [element("p", { class: "note" }, `Cut: ${truncated.shownBytes} of ${truncated.bytes} bytes are shown.${file}`)]
}
