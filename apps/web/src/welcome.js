/** What an empty conversation shows, and the dialog that says which models there are. */
import { byId, element } from "./dom.js"

/** Fills the welcome text and the dialog from `GET /api/models`; `tools` are the names of what can be called. */
export const showModels = (models, tools, onExample) => {
  const { active, help } = models.command
  byId("show-model").replaceChildren(
    element("span", { class: "long" }, active ? "Command mode" : models.default),
    element("span", { class: "short" }, "Model")
  )
  byId("model-text").replaceChildren(
    element("p", {}, active ? "No model is configured, so chats are in command mode." : `Chats use ${models.default}.`),
    element("p", { class: "help" }, help),
    element("table", {}, element("tbody", {}, ...models.models.map(row)))
  )
  byId("welcome").replaceChildren(
    element("h2", {}, active ? "Command mode" : "Ask something"),
    ...(active ? commandMode(help, examples(tools), onExample) : [
      element("p", {}, "The agent uses the tools of the servers on the right. Each call is shown with its result.")
    ])
  )
}

const row = ({ provider, ready, missing, example }) =>
  element(
    "tr",
    {},
    element("th", { scope: "row" }, provider),
    element("td", {}, ready ? "ready" : missing ?? "not ready"),
    element("td", {}, element("code", {}, example))
  )

const commandMode = (help, texts, onExample) => [
  element(
    "p",
    {},
    "No model is configured. You call the tools yourself: a slash and the tool's name, then its arguments as JSON."
  ),
  element(
    "p",
    { class: "examples" },
    ...texts.map((text) =>
      element("button", { type: "button", class: "quiet", onclick: () => onExample(text) }, element("code", {}, text))
    )
  ),
  element("details", {}, element("summary", {}, "How to configure a model"), element("p", { class: "help" }, help))
]

const LISTING = "files_list_directory"

const examples = (tools) => tools.includes(LISTING) ? ["/", `/${LISTING} {"path":"."}`] : ["/"]
