/** What an empty conversation shows: how to begin. */
import { address } from "../shell/Route.ts"
import { models, tools } from "../state/Catalog.ts"
import { serverList } from "../state/Live.ts"
import { count } from "../ui/Words.ts"

interface WelcomeProps {
  readonly isCommandMode: boolean
  readonly onExample: (text: string) => void
}

const LISTING = "files_list_directory"

const Ready = () => {
  const ready = serverList.value.filter(({ state }) => state === "ready").length
  if (ready === 0) {
    return (
      <p>
        No MCP server is ready yet. <a href={address("servers")}>See the servers</a>
      </p>
    )
  }
  return (
    <p>
      <a href={address("servers")}>{count(ready, "server")}</a> with{" "}
      <a href={address("tools")}>{count(tools.value.length, "tool")}</a> {ready === 1 ? "is" : "are"} ready.
    </p>
  )
}

export const Welcome = ({ isCommandMode, onExample }: WelcomeProps) => {
  const examples = ["/", ...(tools.value.some(({ name }) => name === LISTING) ? [`/${LISTING} {"path":"."}`] : [])]
  return (
    <section class="welcome" aria-label="Welcome">
      <img src="/icon.svg" alt="" width={52} height={52} />
      <h2>{isCommandMode ? "Command mode" : "What shall we do?"}</h2>
      <Ready />
      {isCommandMode
        ? (
          <>
            <p>
              No model is configured. You call the tools yourself: a slash and the tool's name, then its arguments as
              JSON.
            </p>
            <div class="examples">
              {examples.map((text) => (
                <button
                  key={text}
                  type="button"
                  class="button small"
                  onClick={() => onExample(text)}
                >
                  <code>{text}</code>
                </button>
              ))}
            </div>
            <details class="fold">
              <summary>How to configure a model</summary>
              <p class="help fold-body">{models.value?.command.help}</p>
            </details>
          </>
        )
        : <p class="muted">Each call of a tool is shown with its arguments and its result.</p>}
    </section>
  )
}
