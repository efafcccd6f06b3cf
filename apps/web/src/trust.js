/** What a person looks at and decides: servers of project files, and tools that changed since they were pinned. */
import { get, post } from "./api.js"
import { element } from "./dom.js"

/** The question about a server, when there is one. It fills itself with what the server says it is about. */
export const question = (status) => {
  if (status.state !== "needs-approval" && status.toolsChanged === 0) return []
  const box = element("div", { class: "trust" })
  void fill(box, status.name)
  return [box]
}

const path = (name, verb) => `mcp/servers/${encodeURIComponent(name)}/${verb}`

const fill = async (box, name) => {
  const details = await get(path(name, "trust")).catch((problem) => problem)
  if (details instanceof Error) return box.replaceChildren(...failure(details))
  box.replaceChildren(
    ...(details.decision === "pending" || details.decision === "rejected" ? entry(details) : []),
    ...(details.tools === null ? [] : tools(details.tools)),
    element("p", { class: "buttons" }, ...choices(details).map((choice) => button(box, details, choice)))
  )
}

const failure = ({ hint, message }) => [
  element("p", { class: "why", role: "alert" }, message),
  ...(hint === null ? [] : [element("p", { class: "hint" }, hint)])
]

const entry = ({ changes, decision, entry, file, problem }) => [
  ...(problem === null ? [] : [element("p", { class: "warning" }, problem)]),
  element("p", { class: "facts" }, decision === "rejected" ? `Rejected. ${file}` : file),
  element("dl", {}, ...entry.flatMap(({ key, value }) => [element("dt", {}, key), element("dd", {}, value)])),
  ...(changes ?? []).map((change) =>
    element(
      "p",
      { class: "warning" },
      `${change.key} changed since it was decided on: `,
      ...(change.before === change.after ? ["its hidden value is another one"] : pair(change))
    )
  )
]

const pair = ({ after, before }) => [
  ...(before === null ? [] : [element("del", {}, before)]),
  " ",
  ...(after === null ? [] : [element("ins", {}, after)])
]

const tools = ({ added, changed, removed }) => [
  ...changed.map(({ parts, tool }) =>
    element(
      "div",
      { class: "change" },
      element("p", {}, "changed ", element("code", {}, tool)),
      ...parts.map((part) => element("p", {}, `${part.path || "its definition"} `, ...pair(part)))
    )
  ),
  ...added.map(({ description, tool }) =>
    element("p", { class: "change" }, "added ", element("code", {}, tool), " ", element("ins", {}, description ?? ""))
  ),
  ...removed.map((tool) => element("p", { class: "change" }, "removed ", element("code", {}, tool)))
]

const choices = ({ decision }) => {
  if (decision === "approved" || decision === "not-needed") return [{ verb: "approve", words: "accept these tools" }]
  const approve = [
    { verb: "approve", words: "approve once", once: true },
    { verb: "approve", words: "approve always", once: false }
  ]
  return decision === "rejected" ? approve : [...approve, { verb: "reject", words: "reject", once: false }]
}

const button = (box, { seen, server }, { once, verb, words }) =>
  element("button", {
    type: "button",
    class: "quiet",
    "aria-label": `${words} ${server}`,
    onclick: async ({ currentTarget }) => {
      currentTarget.disabled = true
      // Whatever comes of it, the server's state says it by the events; only a refusal is told here.
      const refused = await post(path(server, verb), { once: once ?? false, seen }).then(
        () => null,
        (problem) => problem
      )
      if (refused === null) return
      await fill(box, server)
      box.prepend(...failure(refused))
    }
  }, words)
