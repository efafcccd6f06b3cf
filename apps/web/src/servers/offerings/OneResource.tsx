/** One resource of a server: read when somebody wants to see it, watched while somebody wants to know of changes. */
import { useSignal } from "@preact/signals"
import { words } from "../../api/Client.ts"
import type { Resource, ResourceContent } from "../../api/Types.ts"
import { Content } from "../../tools/ResultContent.tsx"
import { Button } from "../../ui/Button.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { bytes, clock } from "../../ui/Numbers.ts"
import { readResource } from "../ServersClient.ts"
import { useWatch, type Watch } from "./Watching.ts"

interface OneResourceProps {
  readonly resource: Resource
  readonly server: string
  readonly canWatch: boolean
}

/** Reading it, as often as somebody wants. */
const useReading = (server: string, uri: string) => {
  const contents = useSignal<ReadonlyArray<ResourceContent> | null>(null)
  const refused = useSignal<ReturnType<typeof words> | null>(null)
  const isBusy = useSignal(false)
  const read = async () => {
    isBusy.value = true
    refused.value = null
    await readResource(server, uri).then((answer) => {
      contents.value = answer.contents
    }, (error) => {
      refused.value = words(error)
    })
    isBusy.value = false
  }
  const close = () => {
    contents.value = null
  }
  return { contents: contents.value, refused: refused.value, isBusy: isBusy.value, read, close }
}

export const OneResource = ({ canWatch, resource, server }: OneResourceProps) => {
  const { description, mimeType, name, size, title, uri } = resource
  const reading = useReading(server, uri)
  const watch = useWatch(server, uri)
  const called = title ?? name
  const isOpen = reading.contents !== null
  const refused = reading.refused ?? watch.refused
  const readAgain = () => {
    watch.seen()
    void reading.read()
  }
  return (
    <li>
      <h2>{called}</h2>
      <p class="muted">
        <code>{uri}</code> {[mimeType, size === null ? null : bytes(size)].filter((part) => part !== null).join(", ")}
      </p>
      {description === null ? null : <p class="words">{description}</p>}
      <div class="row">
        <Button
          isSmall
          icon={isOpen ? "close" : "book"}
          aria-label={`${isOpen ? "Close" : "Read"} ${called}`}
          disabled={reading.isBusy}
          onClick={() => isOpen ? reading.close() : readAgain()}
        >
          {isOpen ? "Close" : "Read"}
        </Button>
        {canWatch
          ? (
            <Button
              isSmall
              class="switch"
              role="switch"
              icon="eye"
              aria-label={`Watch ${called}`}
              aria-checked={watch.isOn}
              onClick={() => watch.set(!watch.isOn)}
            >
              Watch
            </Button>
          )
          : null}
        {canWatch ? <Watched watch={watch} called={called} isOpen={isOpen} onRead={readAgain} /> : null}
      </div>
      {refused === null ? null : <Notice tone="bad" isUrgent hint={refused.hint}>{refused.message}</Notice>}
      {(reading.contents ?? []).map(({ blob, mimeType: type, text, uri: at }, index) => (
        <Content
          key={index}
          block={{ type: "resource", resource: { uri: at, mimeType: type, ...(text === null ? { blob } : { text }) } }}
        />
      ))}
    </li>
  )
}

const wordsOf = ({ changedAt, isHeard, isOn, state }: Watch): string => {
  if (!isOn) return ""
  if (state === "gone") return "It cannot be watched."
  if (changedAt !== null) return `Changed at ${clock(changedAt)}.`
  return state === "lost" ? "Not connected; trying again …" : state === "open" && isHeard ? "Watching." : ""
}

interface WatchedProps {
  readonly watch: Watch
  readonly called: string
  readonly isOpen: boolean
  readonly onRead: () => void
}

const Watched = ({ called, isOpen, onRead, watch }: WatchedProps) => (
  <>
    <span class={watch.changedAt === null ? "watched" : "watched changed"} role="status">{wordsOf(watch)}</span>
    {watch.isOn && (isOpen || watch.changedAt !== null)
      ? (
        <Button isSmall icon="retry" aria-label={`Read again: ${called}`} onClick={onRead}>
          Read again
        </Button>
      )
      : null}
  </>
)
