/** One resource of a server: read when somebody wants to see it, watched while somebody wants to know of changes. */
import { useSignal } from "@preact/signals"
import type { Resource, ResourceContent } from "../../api/Types.ts"
import { bytes, clock } from "../../messages/Numbers.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Content } from "../../tools/ResultContent.tsx"
import { Button } from "../../ui/Button.tsx"
import { readResource } from "../ServersClient.ts"
import { useWatch, type Watch } from "./Watching.ts"

interface OneResourceProps {
  readonly resource: Resource
  readonly server: string
  readonly canWatch: boolean
}

export const OneResource = ({ canWatch, resource, server }: OneResourceProps) => {
  const { description, mimeType, name, size, title, uri } = resource
  const contents = useSignal<ReadonlyArray<ResourceContent> | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const watch = useWatch(server, uri)
  const called = title ?? name
  const isOpen = contents.value !== null
  const read = () => {
    watch.seen()
    void run(async () => {
      contents.value = (await readResource(server, uri)).contents
    })
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
          aria-label={`${isOpen ? texts.close : texts.read} ${called}`}
          disabled={isBusy.value}
          onClick={() => isOpen ? contents.value = null : read()}
        >
          {isOpen ? texts.close : texts.read}
        </Button>
        {canWatch
          ? (
            <Button
              isSmall
              class="switch"
              role="switch"
              icon="eye"
              aria-label={texts.watchOf(called)}
              aria-checked={watch.isOn}
              onClick={() => watch.set(!watch.isOn)}
            >
              {texts.watch}
            </Button>
          )
          : null}
        {canWatch ? <Watched watch={watch} called={called} isOpen={isOpen} onRead={read} /> : null}
      </div>
      <Refused why={refused.value ?? watch.refused} />
      {(contents.value ?? []).map(({ blob, mimeType: type, text, uri: at }, index) => (
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
  if (state === "gone") return texts.itCannotBeWatched
  if (changedAt !== null) return texts.changedAt(clock(changedAt))
  return state === "lost" ? texts.notConnected : state === "open" && isHeard ? texts.watching : ""
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
      ? <Button isSmall icon="retry" aria-label={texts.readAgainOf(called)} onClick={onRead}>{texts.readAgain}</Button>
      : null}
  </>
)
