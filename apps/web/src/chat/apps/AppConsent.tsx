/** An app that the person never saw, or that is another one now: what it is, and what it could reach. */
import { app as words } from "../../messages/chat/AppMessages.ts"
import { Button } from "../../ui/Button.tsx"
import type { AppDocument } from "./AppsClient.ts"

type Asking = Extract<AppDocument, { readonly state: "ask" }>

const hostsOf = (origins: ReadonlyArray<string>): string =>
  origins.map((origin) => origin.replace(/^\w+:\/\//, "")).join(", ")

export const AppConsent = (
  { about, onShow }: { readonly about: Asking; readonly onShow: () => void }
) => {
  const { isChanged, reach: { clipboard, connect, frame, load }, server } = about
  const lines = [
    ...(connect.length > 0 ? [words.reaches(hostsOf(connect))] : []),
    ...(load.length > 0 ? [words.loads(hostsOf(load))] : []),
    ...(frame.length > 0 ? [words.frames(hostsOf(frame))] : []),
    ...(clipboard ? [words.clipboard] : [])
  ]
  return (
    <div class="app-card asking">
      <div>
        <p class="app-title">{isChanged ? words.changed(server) : words.ask(server)}</p>
        {(lines.length === 0 ? [words.alone] : lines).map((line) => <p key={line} class="app-about">{line}</p>)}
      </div>
      <Button kind="primary" isSmall onClick={onShow}>{words.show}</Button>
    </div>
  )
}
