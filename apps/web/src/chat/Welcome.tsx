/** An empty conversation, above and below the composer: how to begin. */
import { welcome as words } from "../messages/ChatMessages.ts"
import { models, tools } from "../state/Catalog.ts"
import { serverList } from "../state/Live.ts"
import { address } from "../state/Route.ts"
import { Ghost } from "../ui/Ghost.tsx"

const LISTING = "files_list_directory"

const Ready = () => {
  const ready = serverList.value.filter(({ state }) => state === "ready").length
  return (
    <p class="welcome-ready">
      {ready === 0
        ? (
          <>
            {words.noServer} <a href={address("servers")}>{words.seeServers}</a>
          </>
        )
        : (
          <>
            <a href={address("servers")}>{words.servers(ready)}</a> {words.withTools}{" "}
            <a href={address("tools")}>{words.tools(tools.value.length)}</a> {words.areReady(ready)}
          </>
        )}
    </p>
  )
}

export const Welcome = ({ isCommandMode }: { readonly isCommandMode: boolean }) => (
  <section class="welcome" aria-label={words.label}>
    <h2>
      <Ghost width={32} />
      {isCommandMode ? words.commandTitle : words.title}
    </h2>
    {isCommandMode
      ? (
        <>
          <p>{words.commandAbout}</p>
          <details class="fold">
            <summary>{words.howToConfigure}</summary>
            <p class="help fold-body">{models.value?.command.help}</p>
          </details>
        </>
      )
      : null}
  </section>
)

/** Beginnings that work with the tools of now. The one that needs a tool comes last: the tools are known a moment later. */
const examplesOf = (isCommandMode: boolean): ReadonlyArray<string> => {
  const hasFiles = tools.value.some(({ name }) => name === LISTING)
  return isCommandMode
    ? ["/", ...(hasFiles ? [`/${LISTING} {"path":"."}`] : [])]
    : [...words.examples, "/", ...(hasFiles ? [words.fileExample] : [])]
}

interface BeginningsProps {
  readonly isCommandMode: boolean
  readonly onExample: (text: string) => void
}

export const Beginnings = ({ isCommandMode, onExample }: BeginningsProps) => (
  <div class="beginnings">
    <Ready />
    <div class="row">
      {examplesOf(isCommandMode).map((text) => (
        <button
          key={text}
          type="button"
          class="button small"
          onClick={() => onExample(text)}
        >
          {text === "/" ? words.commands : isCommandMode ? <code>{text}</code> : text}
        </button>
      ))}
    </div>
  </div>
)
