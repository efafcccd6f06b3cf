/** The attachments of a draft, those that were refused, and the button that attaches. */
import { useRef } from "preact/hooks"
import { composer as words } from "../../messages/ChatMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { detach, type Draft, type DraftFile } from "./Draft.ts"

interface DraftFilesProps {
  readonly draft: Draft
  /** Puts a pasted text into the field. */
  readonly onText: (text: string) => void
}

const Chip = ({ draft, file, onText }: DraftFilesProps & { readonly file: DraftFile }) => {
  const { about, attachment, key, name, pasted, preview, refused } = file
  const isThumb = preview !== null && refused === null
  return (
    <li
      class={isThumb ? "thumb" : refused === null ? "chip" : "chip bad"}
      {...(refused === null ? {} : { role: "alert" })}
    >
      {isThumb ? <img src={preview} alt={name} title={about} /> : (
        <>
          <Icon name={attachment.kind === "resource" ? "link" : "file"} />
          {refused === null ? <span class="chip-name">{name}</span> : <span>{refused}</span>}
          {refused === null ? <span class="chip-about">{about}</span> : null}
        </>
      )}
      {pasted === null ? null : (
        <Button
          kind="plain"
          isSmall
          aria-label={words.asTextLabel(name)}
          onClick={() => {
            detach(draft, key)
            onText(pasted)
          }}
        >
          {words.asText}
        </Button>
      )}
      <Button kind="plain" isSmall icon="close" label={words.remove(name)} onClick={() => detach(draft, key)} />
    </li>
  )
}

export const DraftFiles = ({ draft, onText }: DraftFilesProps) =>
  draft.files.value.length + draft.unattached.value.length === 0 ? null : (
    <ul class="files" aria-label={words.attached}>
      {draft.files.value.map((file) => <Chip key={file.key} draft={draft} file={file} onText={onText} />)}
      {draft.unattached.value.map(({ key, message }) => (
        <li key={key} class="chip bad" role="alert">
          <span>{message}</span>
          <Button kind="plain" isSmall icon="close" label={words.remove(message)} onClick={() => detach(draft, key)} />
        </li>
      ))}
    </ul>
  )

export const AttachButton = ({ onFiles }: { readonly onFiles: (files: ReadonlyArray<File>) => void }) => {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button kind="plain" isSmall icon="plus" label={words.attach} onClick={() => chooser.current?.click()} />
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...event.currentTarget.files ?? []])
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}
