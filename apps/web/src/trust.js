/** What a person looks at and decides: servers of project files, and tools that changed since they were pinned. */
import { get, post } from "./api.js"
import { element } from "./dom.js"

/** Whether a file of this name is one that a project may bring. A person's own `~/.mcprc` is called the same. */
export const mayBeOfProject = ({ source }) => /(^|[/\\])\.(mcp\.json|mcprc)$/.test(source)

/** How a server of a project stands, and the question about one, when there is one. It fills itself by what the server says. */
export const question = (status) => {
  if (status.state !== "needs-approval" && status.toolsChanged === 0 && !mayBeOfProject(status)) return []
  const box = element("div", { class: "trust" })
  void fill(box, status.name)
  return [box]
}

const path = (name, verb) => `mcp/servers/${encodeURIComponent(name)}/${verb}`

const fill = async (box, name) => {
  const details = await get(path(name, "trust")).catch((problem) => problem)
  if (details instanceof Error) return box.replaceChildren(...failure(details))
  const choices = choicesOf(details)
  box.replaceChildren(
    ...(details.decision === "not-needed" ? [] : [element("p", { class: "facts" }, standing(details))]),
    ...(details.decision === "pending" || details.decision === "rejected" ? entry(details) : []),
    ...(details.tools === null ? [] : tools(details.tools)),
    ...(choices.length === 0
      ? []
      : [element("p", { class: "buttons" }, ...choices.map((choice) => button(box, details, choice)))])
  )
}

const failure = ({ hint, message }) => [
  element("p", { class: "why", role: "alert" }, message),
  ...(hint === null ? [] : [element("p", { class: "hint" }, hint)])
]

const standing = ({ by, decision, file }) => {
  if (decision === "pending") return `from ${file} · not approved`
  return `from ${file} · ${decision}${
    { always: "", once: " for this run only", publisher: ": its publisher is trusted" }[by]
  }`
}

const entry = ({ changes, entry, problem }) => [
  ...(problem === null ? [] : [element("p", { class: "warning" }, problem)]),
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

const ACCEPT = { verb: "approve", words: "accept these tools" }
const ONCE = { verb: "approve", words: "approve once", once: true }
const ALWAYS = { verb: "approve", words: "approve always", once: false }
const REJECT = { verb: "reject", words: "reject", once: false }
const REVOKE = { verb: "revoke", words: "revoke" }

const choicesOf = ({ by, decision, seen }) => {
  if (decision === "pending") return [ONCE, ALWAYS, REJECT]
  if (decision === "rejected") return [ONCE, ALWAYS, REVOKE]
  // The part behind the dot stands for tools that wait to be accepted.
  const accept = seen.includes(".") ? [ACCEPT] : []
  if (decision === "not-needed") return accept
  // Nobody decided about a trusted publisher's server, so there is nothing to take back.
  if (by === "publisher") return [...accept, REJECT]
  return [...accept, ...(by === "once" && accept.length === 0 ? [ALWAYS] : []), REVOKE, REJECT]
}

/** Without `once` an approval stays as it is, and only its tools are accepted. */
const bodyOf = ({ once, verb }, seen) => {
  if (verb === "revoke") return undefined
  return once === undefined ? { seen } : { once, seen }
}

const button = (box, { seen, server }, choice) =>
  element("button", {
    type: "button",
    class: "quiet",
    "aria-label": `${choice.words} ${server}`,
    onclick: async ({ currentTarget }) => {
      currentTarget.disabled = true
      const refused = await post(path(server, choice.verb), bodyOf(choice, seen)).then(
        () => null,
        (problem) => problem
      )
      // Where the server's state is another one now, the events have drawn it anew, and this box is on the page no more.
      if (box.isConnected) await fill(box, server)
      if (refused !== null) box.prepend(...failure(refused))
    }
  }, choice.words)
