/** The messages that wait behind the running turn: each can be sent now, taken back into the field, or removed. */
import { fileAddress } from "../api/Api.ts"
import type { Attachment } from "../api/Types.ts"
import { waiting as words } from "../messages/ChatMessages.ts"
import { tellError } from "../state/Loading.ts"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { attach, type Draft } from "./composer/Draft.ts"
import { read } from "./composer/FileUpload.ts"
import type { OpenChat } from "./open/OpenChat.ts"
import type { Turn } from "./open/OpenTurns.ts"

/** The attachments, to be sent once more: the server forgets the files of a message that is dropped. */
const again = async (chat: string, { id, kind, mediaType, name, server, uri }: Attachment) => {
  if (kind === "resource" && server !== null && uri !== null) {
    return { name, about: server, bytes: 0, preview: null, attachment: { kind, server, uri } } as const
  }
  const response = await fetch(fileAddress(chat, id))
  if (!response.ok) throw new Error(words.unreadable(name))
  return read(new File([await response.blob()], name, { type: mediaType }))
}

/** The message is no longer sent: its text stands before what is in the field already. */
const takeBack = async (chat: OpenChat, draft: Draft, { about, number }: Turn) => {
  const { attachments, text } = about.value
  const files = await Promise.all(attachments.map((file) => again(chat.id, file)))
  await chat.drop(number)
  draft.text.value = [text, draft.text.value].filter((each) => each !== "").join("\n\n")
  files.forEach((file) => attach(draft, file))
  document.getElementById("message")?.focus()
}

interface WaitingProps {
  readonly chat: OpenChat
  readonly draft: Draft
}

export const QueuedMessages = ({ chat, draft }: WaitingProps) => {
  const all = chat.waiting.value
  if (all.length === 0) return null
  return (
    <ul class="waiting" aria-label={words.label}>
      {all.map((turn) => (
        <li key={turn.number}>
          <Icon name="clock" />
          <span class="grow" title={turn.about.value.text}>{turn.about.value.text}</span>
          {turn.about.value.hurried === true
            ? <span>{words.hurried}</span>
            : (
              <Button
                isSmall
                title={words.nowAbout}
                onClick={() => void chat.hurry(turn.number).catch(tellError)}
              >
                {words.now}
              </Button>
            )}
          <Button
            kind="plain"
            isSmall
            icon="edit"
            label={words.edit}
            onClick={() => void takeBack(chat, draft, turn).catch(tellError)}
          />
          <Button
            kind="plain"
            isSmall
            icon="close"
            label={words.remove}
            onClick={() => void chat.drop(turn.number).catch(tellError)}
          />
        </li>
      ))}
    </ul>
  )
}
