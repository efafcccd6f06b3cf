/** A message as the person wrote it, with what was attached; it can be edited and sent anew. */
import { useSignal } from "@preact/signals"
import { useContext } from "preact/hooks"
import { fileAddress } from "../api/Api.ts"
import type { Attachment, MessagePart } from "../api/Types.ts"
import { turn as words } from "../messages/ChatMessages.ts"
import { bytes } from "../messages/Numbers.ts"
import { Button } from "../ui/Button.tsx"
import { isImage } from "../ui/files/Safe.ts"
import { focus } from "../ui/Focus.ts"
import { Icon } from "../ui/Icon.tsx"
import { VersionSwitch } from "../ui/lists/VersionSwitch.tsx"
import { PdfChip } from "./media/PdfChip.tsx"
import { ChatId, SharedFiles } from "./open/OpenChat.ts"

interface AskedProps {
  readonly text: string
  readonly attachments: ReadonlyArray<Attachment>
  /** Null when it cannot be edited now. */
  readonly onEdit: ((text: string) => void) | null
  readonly versions: ReadonlyArray<number>
  readonly current: number
  readonly onVersion: (turn: number) => void
}

const AttachedFile = ({ file }: { readonly file: Attachment }) => {
  const chat = useContext(ChatId)
  const address = useContext(SharedFiles)?.attached(file.id) ?? fileAddress(chat, file.id)
  return file.kind === "image" && isImage(file.mediaType)
    ? (
      <a href={address} target="_blank" rel="noopener">
        <img src={address} alt={file.name} loading="lazy" />
      </a>
    )
    : file.kind === "pdf"
    ? <PdfChip address={address} name={file.name} size={file.bytes} note={file.note} />
    : file.server === null
    ? (
      <a class="chip" href={address} download={file.name} {...(file.note === undefined ? {} : { title: file.note })}>
        <Icon name="file" />
        {file.name}
        <span class="muted">{bytes(file.bytes)}</span>
      </a>
    )
    : (
      <span class="chip">
        <Icon name="link" />
        {file.name}
        <span class="muted">{file.server}</span>
      </span>
    )
}

const Attached = ({ files }: { readonly files: ReadonlyArray<Attachment> }) =>
  files.length === 0 ? null : (
    <div class="attached">{files.map((file) => <AttachedFile key={file.id} file={file} />)}</div>
  )

/** A message that a turn took while it ran. */
export const JoinedMessage = ({ part: { attachments, from, text } }: { readonly part: MessagePart }) => (
  <section id={`turn-${from}`} class="asked joined" aria-label={words.joined}>
    <Attached files={attachments} />
    <p class="bubble" dir="auto">{text}</p>
  </section>
)

export const UserMessageView = ({ attachments, current, onEdit, onVersion, text, versions }: AskedProps) => {
  const draft = useSignal<string | null>(null)
  const send = () => {
    const words = draft.value?.trim() ?? ""
    if (words === "" || onEdit === null) return
    draft.value = null
    onEdit(words)
  }
  return (
    <div class="asked">
      <h2 class="visually-hidden">{words.you}</h2>
      <Attached files={attachments} />
      {draft.value === null ? <p class="bubble" dir="auto">{text}</p> : (
        <form
          class="edit"
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          <textarea
            class="input"
            dir="auto"
            aria-label={words.edit}
            ref={focus}
            rows={Math.min(12, draft.value.split("\n").length + 1)}
            value={draft.value}
            onInput={(event) => draft.value = event.currentTarget.value}
            onKeyDown={(event) => {
              if (event.key === "Escape") {
                event.preventDefault()
                draft.value = null
              } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
                event.preventDefault()
                send()
              }
            }}
          />
          <div class="row end">
            <Button isSmall onClick={() => draft.value = null}>{words.cancel}</Button>
            <Button isSmall kind="primary" type="submit" disabled={draft.value.trim() === ""}>{words.sendAnew}</Button>
          </div>
        </form>
      )}
      {draft.value === null
        ? (
          <div class="asked-actions">
            <VersionSwitch
              label={words.versions}
              at={versions.indexOf(current)}
              of={versions.length}
              onChange={(at) => onVersion(versions[at] ?? current)}
            />
            {onEdit === null
              ? null
              : (
                <span class="on-hover replacing">
                  <Button
                    kind="plain"
                    isSmall
                    icon="edit"
                    class="edit-message"
                    label={words.edit}
                    onClick={() => draft.value = text}
                  />
                </span>
              )}
          </div>
        )
        : null}
    </div>
  )
}
