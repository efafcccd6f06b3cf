/** An app wants something that only the person may do: to open a page, to send a message, to save files. */
import { type Signal } from "@preact/signals"
import { app as words } from "../../messages/chat/AppMessages.ts"
import { WholeUrl } from "../../questions/WholeUrl.tsx"
import { Button, OpenButton } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"

/** One wish at a time. `answer` is called once. */
export interface Wish {
  readonly kind: "link" | "message" | "files"
  /** The address, the message, or the files with their sizes. */
  readonly text: string
  readonly answer: (isGranted: boolean) => void
}

/** After so many noes an app is not heard any more. */
const MOST_REFUSED = 3

/** Asks the person; false where they say no, or where something else is asked just now. */
export const makeAsking = (wish: Signal<Wish | null>) => {
  let refused = 0
  return (kind: Wish["kind"], text: string): Promise<boolean> =>
    new Promise((resolve) => {
      if (wish.value !== null || refused >= MOST_REFUSED) return resolve(false)
      wish.value = {
        kind,
        text,
        answer: (isGranted) => {
          wish.value = null
          refused = isGranted ? 0 : refused + 1
          resolve(isGranted)
        }
      }
    })
}

/** The address that a click may lead to; null for anything but a page. */
export const pageOf = (url: unknown): string | null => {
  const parsed = typeof url === "string" ? URL.parse(url) : null
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : null
}

const TITLES = { link: words.linkTitle, message: words.messageTitle, files: words.filesTitle }

export const WishDialog = (
  { server, wish: { answer, kind, text } }: { readonly server: string; readonly wish: Wish }
) => (
  <Dialog
    title={TITLES[kind](server)}
    onClose={() => answer(false)}
  >
    <div class="stack">
      {kind === "link" ? <WholeUrl url={text} /> : <p class="app-message">{text}</p>}
      <footer>
        <Button onClick={() => answer(false)}>{words.no}</Button>
        {kind === "link"
          ? <OpenButton href={text} onOpen={() => answer(true)}>{words.follow}</OpenButton>
          : (
            <Button kind="primary" icon={kind === "files" ? "download" : "send"} onClick={() => answer(true)}>
              {kind === "files" ? words.save : words.send}
            </Button>
          )}
      </footer>
    </div>
  </Dialog>
)
