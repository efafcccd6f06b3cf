/** Files that a tool gave: sound to play, images to look at, and all else to save. The server keeps them for some days. */
import { useContext } from "preact/hooks"
import { resultFileAddress } from "../../api/Api.ts"
import { media as words } from "../../messages/chat/MediaMessages.ts"
import { bytes } from "../../messages/Numbers.ts"
import { isImage } from "../../ui/files/Safe.ts"
import { Icon } from "../../ui/Icon.tsx"
import { ChatId, SharedFiles } from "../open/OpenChat.ts"
import type { KeptMedia } from "./KeptMedia.ts"
import { PdfChip } from "./PdfChip.tsx"

interface CallMediaProps {
  readonly call: string
  readonly tool: string
  readonly files: ReadonlyArray<KeptMedia>
}

const One = ({ address, file, tool }: {
  readonly address: string
  readonly file: KeptMedia
  readonly tool: string
}) => {
  const name = file.name ?? words.from(tool)
  if (file.type.startsWith("audio/")) {
    return (
      <figure class="sound">
        <audio controls preload="metadata" src={address} aria-label={words.sound(name)} />
        {file.name === null ? null : <figcaption class="muted small">{file.name}</figcaption>}
      </figure>
    )
  }
  if (isImage(file.type)) return <img src={address} alt={words.picture(name)} loading="lazy" />
  if (file.type === "application/pdf") return <PdfChip address={address} name={name} size={file.bytes} />
  return (
    <a class="chip" href={address} download={file.name ?? ""} aria-label={words.save(name)}>
      <Icon name="download" />
      {file.name ?? file.type}
      <span class="muted">{bytes(file.bytes)}</span>
    </a>
  )
}

export const CallMedia = ({ call, files, tool }: CallMediaProps) => {
  const chat = useContext(ChatId)
  const shared = useContext(SharedFiles)
  if (shared === null && chat === "") return null
  const addressOf = (file: string) => shared?.ofCall(call, file) ?? resultFileAddress(chat, call, file)
  return (
    <div class="media">
      {files.map((file) => <One key={file.handle} file={file} tool={tool} address={addressOf(file.handle)} />)}
    </div>
  )
}
