/** The panel of MCP servers: state, reasons, rejected tools, what is to be decided, and the buttons to start, stop and restart. */
import { post } from "./api.js"
import { byId, count, element } from "./dom.js"
import { mayBeOfProject, question } from "./trust.js"

const list = byId("server-list")
const button = byId("show-servers")
const statuses = new Map()
const nodes = new Map()
let broken = 0

/** Takes a status as it comes from the server's events. `onNews` is told when a server became something else. */
export const update = (status, onNews) => {
  const before = statuses.get(status.name)
  statuses.set(status.name, status)
  draw(status)
  headline()
  if (before !== undefined && before.state !== status.state) onNews()
}

/** Shows what there is, also when it is nothing, and which configuration files cannot be used. */
export const reset = (all, problems) => {
  statuses.clear()
  nodes.clear()
  list.replaceChildren()
  for (const status of all) {
    statuses.set(status.name, status)
    draw(status)
  }
  showProblems(problems)
}

/** Takes what the events say of the configuration. `onNews` is told when a server is there no more. */
export const configured = ({ servers, added, changed, removed, problems }, onNews) => {
  const gone = [...nodes.keys()].filter((name) => !servers.includes(name))
  for (const name of gone) {
    nodes.get(name).remove()
    nodes.delete(name)
    statuses.delete(name)
  }
  const news = inWords({ added, changed, removed })
  if (news !== null) byId("config-news").textContent = news
  showProblems(problems)
  if (gone.length > 0) onNews()
}

/** Has the configuration files read now. What changed comes by the events too; that nothing did is said here alone. */
export const reload = async () => {
  const { problems, ...applied } = await post("mcp/reload")
  byId("config-news").textContent = inWords(applied) ?? "Nothing changed."
  showProblems(problems)
}

const inWords = ({ added, changed, removed }) => {
  const parts = [["added", added], ["changed", changed], ["removed", removed]]
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${verb} ${names.join(", ")}`)
  return parts.length === 0 ? null : `The configuration changed: ${parts.join("; ")}.`
}

const showProblems = (problems) => {
  broken = problems.length
  byId("config-problems").replaceChildren(
    ...problems.flatMap(({ message, hint }) => [
      element("p", { class: "why" }, message),
      element("p", { class: "hint" }, hint)
    ])
  )
  headline()
}

const empty = element("li", { class: "note" }, "No server is configured in mcp.json.")

const headline = () => {
  if (statuses.size + broken === 0) list.append(empty)
  else empty.remove()
  const states = [...statuses.values()].map(({ state }) => state)
  const ready = states.filter((state) => state === "ready").length
  const failed = broken + states.filter((state) => state === "failed" || state === "needs-auth").length
  const connecting = states.filter((state) => state === "connecting").length
  const words = failed > 0 ? `${ready} up, ${failed} failed` : `${ready} up`
  const waiting = states.filter((state) => state === "needs-approval").length
  const more = (connecting > 0 ? `, ${connecting} connecting` : "") + (waiting > 0 ? `, ${waiting} to approve` : "")
  // On a narrow screen only the middle is shown.
  button.replaceChildren(long("Servers: "), words, long(more))
  button.classList.toggle("failed", failed > 0)
}

const long = (text) => element("span", { class: "long" }, text)

const draw = (status) => {
  const old = nodes.get(status.name)
  // What a person unfolded stays unfolded while the server changes.
  const unfolded = new Set([...old?.querySelectorAll("details[open]") ?? []].map(({ dataset }) => dataset.of))
  const node = element(
    "li",
    { class: `server ${status.state}`, "aria-label": `${status.name}, ${status.state}` },
    element(
      "div",
      { class: "head" },
      element("span", { class: "dot", "aria-hidden": "true" }),
      element("h3", {}, status.name),
      element("span", { class: "state" }, status.state)
    ),
    element("p", { class: "facts" }, facts(status)),
    ...failure(status.error),
    ...status.warnings.map((warning) => element("p", { class: "warning" }, warning)),
    ...rejected(status.rejected),
    ...question(status),
    element("p", { class: "buttons" }, ...buttons(status))
  )
  for (const details of node.querySelectorAll("details")) details.open = unfolded.has(details.dataset.of)
  nodes.set(status.name, node)
  if (old === undefined) return place(status.name, node)
  const hadFocus = old.contains(document.activeElement)
  old.replaceWith(node)
  // Whoever pressed a button by keyboard stays with this server.
  if (hadFocus) node.querySelector("button, summary")?.focus()
}

const place = (name, node) => {
  const next = [...nodes.keys()].filter((other) => other > name).sort((one, other) => one < other ? -1 : 1)[0]
  list.insertBefore(node, next === undefined ? null : nodes.get(next))
}

const facts = (status) => {
  const words = [status.transport ?? "unknown transport"]
  if (status.state === "ready") {
    const time = `${Math.round(status.connectMillis ?? 0)} ms`
    words.push(count(status.tools, "tool"), status.idle ? "idle: starts when it is called" : time)
    if (status.undeclared > 0) words.push(`${status.undeclared} undeclared`)
  }
  if (status.state === "disabled") words.push(`not enabled in ${status.source}`)
  if (status.restarts > 0) words.push(count(status.restarts, "restart"))
  return words.join(" · ")
}

const failure = (error) =>
  error === null ? [] : [
    element("p", { class: "why" }, short(error.message)),
    element("p", { class: "hint" }, error.hint),
    ...(error.message.length > SHORT ? [fold("why", "The whole message", pre(error.message))] : []),
    ...(error.stderr === null ? [] : [fold("stderr", "Standard error", pre(error.stderr))])
  ]

const SHORT = 140
const short = (text) => text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text
const pre = (text) => element("pre", { tabindex: "0" }, text)

const rejected = (tools) =>
  tools.length === 0 ? [] : [
    fold(
      "rejected",
      `${count(tools.length, "tool")} rejected`,
      element(
        "ul",
        { class: "rejected" },
        ...tools.map(({ tool, reason }) => element("li", {}, element("code", {}, tool), ` ${reason}`))
      )
    )
  ]

const fold = (of, title, content) => element("details", { "data-of": of }, element("summary", {}, title), content)

const buttons = (status) => verbs(status).map((verb) => action(status.name, verb))

const verbs = (status) => {
  const { state } = status
  // One that needs approval does not start however often it is asked to.
  if (state === "needs-approval") return []
  const now = state === "ready" || state === "connecting" ? ["restart", "stop"] : ["start"]
  // These two write the file of the entry, and a project's file belongs to others too.
  return mayBeOfProject(status) ? now : [...now, state === "disabled" ? "enable" : "disable"]
}

const WRITES = new Set(["enable", "disable"])

const tell = (card, { hint, message }) => {
  for (const old of card.querySelectorAll(".refused")) old.remove()
  card.append(element(
    "div",
    { class: "refused", role: "alert" },
    element("p", { class: "why" }, message),
    ...(hint === null ? [] : [element("p", { class: "hint" }, hint)])
  ))
}

const action = (name, verb) =>
  element("button", {
    type: "button",
    class: "quiet",
    "aria-label": `${verb} ${name}`,
    onclick: async ({ currentTarget }) => {
      currentTarget.disabled = true
      const refused = await post(`mcp/servers/${encodeURIComponent(name)}/${verb}`).then(
        () => null,
        (problem) => problem
      )
      currentTarget.disabled = false
      // What comes of the others the server's state says, with the reason, by the events; a file that stays as it is says nothing.
      if (refused !== null && WRITES.has(verb)) tell(currentTarget.closest(".server"), refused)
    }
  }, verb)
