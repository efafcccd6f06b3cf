/** What an empty conversation shows: how to begin. */
import { models, tools } from "../state/Catalog.ts"
import { serverList } from "../state/Live.ts"
import { address } from "../state/Route.ts"
import { count } from "../ui/Numbers.ts"

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

/** Beginnings that work with what is there. */
const examplesOf = (isCommandMode: boolean): ReadonlyArray<string> => {
  const hasFiles = tools.value.some(({ name }) => name === LISTING)
  return isCommandMode
    ? ["/", ...(hasFiles ? [`/${LISTING} {"path":"."}`] : [])]
    : ["What can you do here?", ...(hasFiles ? ["Which files are in the workspace?"] : []), "/"]
}

const Examples = ({ isCommandMode, onExample }: WelcomeProps) => (
  <div class="examples">
    {examplesOf(isCommandMode).map((text) => (
      <button
        key={text}
        type="button"
        class="button"
        onClick={() => onExample(text)}
      >
        {text === "/" ? "Commands and prompts" : isCommandMode ? <code>{text}</code> : text}
      </button>
    ))}
  </div>
)

export const Welcome = ({ isCommandMode, onExample }: WelcomeProps) => {
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
            <Examples isCommandMode onExample={onExample} />
            <details class="fold">
              <summary>How to configure a model</summary>
              <p class="help fold-body">{models.value?.command.help}</p>
            </details>
          </>
        )
        : (
          <>
            <p class="muted">Each call of a tool is shown with its arguments and its result.</p>
            <Examples isCommandMode={false} onExample={onExample} />
          </>
        )}
    </section>
  )
}
