/**
 * A document in the sandbox in which apps of servers run: an origin of its own where the browser reaches one, else the policy of
 * its answer alone. It reaches nothing, and nothing of the page.
 */
import type { Preview } from "@boocode/chat-server/api/apps/AppsApi"
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { ask, type Refusal, words as refusalOf } from "../../api/Client.ts"
import { artifact as words } from "../../messages/chat/ArtifactMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"

type Framed = typeof Preview.Encoded

/** Keeps a document on the server until a frame fetches it. */
export const keepDocument = async (
  document: { readonly html: string; readonly direct: boolean }
): Promise<Framed> => {
  const response = await ask("POST", "previews", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(document)
  }, 0)
  return response.json()
}

/** How long the page around the document may take to say that it is there, once the browser has fetched it. */
const GRACE = 1500

/** Whether a message comes from this frame, and from the origin that it has. */
export const isFrom = ({ origin, source }: MessageEvent, frame: HTMLIFrameElement, framed: Framed): boolean =>
  source !== null && source === frame.contentWindow && origin === (framed.origin ?? "null")

/** Calls back when the port of the apps, which the frame should come from, is not reached. */
export const watchReach = (frame: HTMLIFrameElement, framed: Framed, onUnreached: () => void): () => void => {
  if (framed.origin === null) return () => {}
  let isReached = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const onMessage = (event: MessageEvent) => {
    if (isFrom(event, frame, framed)) isReached = true
  }
  // A browser says of a page that it could not fetch, too, that it is there.
  const onLoad = () => {
    timer ??= setTimeout(() => isReached ? undefined : onUnreached(), GRACE)
  }
  addEventListener("message", onMessage)
  frame.addEventListener("load", onLoad)
  return () => {
    clearTimeout(timer)
    removeEventListener("message", onMessage)
    frame.removeEventListener("load", onLoad)
  }
}

/** The `sandbox` of the frame: the page around a document has its origin, the document never. */
export const sandboxOf = ({ origin }: Framed): string =>
  origin === null ? "allow-scripts allow-forms" : "allow-scripts allow-forms allow-same-origin"

const Frame = ({ framed, onUnreached, title }: {
  readonly framed: Framed
  readonly title: string
  readonly onUnreached: () => void
}) => {
  const frame = useRef<HTMLIFrameElement>(null)
  useLayoutEffect(() => frame.current === null ? undefined : watchReach(frame.current, framed, onUnreached), [framed])
  return <iframe ref={frame} class="preview-frame" title={title} src={framed.url} sandbox={sandboxOf(framed)} />
}

export const PreviewFrame = ({ html, title }: { readonly html: string; readonly title: string }) => {
  const framed = useSignal<Framed | null>(null)
  const refused = useSignal<Refusal | null>(null)
  const newest = useRef("")
  const load = (direct: boolean) => {
    newest.current = html
    refused.value = null
    framed.value = null
    keepDocument({ html, direct }).then(
      (found) => {
        if (newest.current === html) framed.value = found
      },
      (error) => refused.value = refusalOf(error)
    )
  }
  useEffect(() => load(false), [html])
  if (refused.value !== null) {
    return (
      <Notice
        tone="warn"
        hint={refused.value.message}
        action={<Button isSmall icon="retry" onClick={() => load(false)}>{words.again}</Button>}
      >
        {words.notShown}
      </Notice>
    )
  }
  return framed.value === null
    ? (
      <div class="preview-wait">
        <Spinner label={words.loading} />
      </div>
    )
    : <Frame key={framed.value.url} framed={framed.value} title={title} onUnreached={() => load(true)} />
}
