/** Files that are chosen, pasted or dropped, as attachments. A limit that they do not keep is told before they are sent. */
import { files as words } from "../../messages/ChatMessages.ts"
import { bytes } from "../../messages/Numbers.ts"
import type { Draft, NewFile } from "./Draft.ts"
import { base64Of, dataAddress, read as readPicture } from "./ImageUpload.ts"

/** Those of the server: attachments of a message, their bytes, and the bytes of a text. */
const MOST = 8
const MOST_BYTES = 50_000_000
const MOST_TEXT = 20_000_000

/** A pasted text of more characters becomes an attachment. */
export const LONG_PASTE = 8000

const isPdf = ({ name, type }: File) => type === "application/pdf" || /\.pdf$/i.test(name)

/** Those that browsers draw. An SVG is a text, as models read it. */
const isPicture = ({ type }: File) => type.startsWith("image/") && !type.startsWith("image/svg")

const kindOf = (file: File): string => {
  if (isPdf(file)) return words.pdf
  const [, ending] = /\.(\w{1,8})$/.exec(file.name) ?? []
  return ending?.toUpperCase() ?? words.file
}

const whole = async (file: File): Promise<NewFile> => {
  const address = await dataAddress(file).catch(() => {
    throw new Error(words.notRead(file.name))
  })
  return {
    name: file.name,
    about: words.about(kindOf(file), bytes(file.size)),
    bytes: file.size,
    preview: null,
    // The bytes say what it is, better than the guess of a browser.
    attachment: { kind: "file", name: file.name, mediaType: null, data: base64Of(address) }
  }
}

/** Fails with words when the file cannot be read. */
export const read = async (file: File): Promise<NewFile> => {
  if (!isPicture(file)) return whole(file)
  const picture = await readPicture(file)
  return { ...picture, about: bytes(picture.bytes) }
}

/** Why the file has no room in the message, or null. `taken` are those before it that are still being read. */
export const obstacle = (draft: Draft, taken: ReadonlyArray<File>, file: File): string | null => {
  const { name, size } = file
  if (draft.files.value.length + taken.length >= MOST) return words.tooMany(name, MOST)
  if (isPicture(file)) return null
  const most = isPdf(file) ? MOST_BYTES : MOST_TEXT
  if (size > most) return words.tooLarge(name, bytes(size), bytes(most))
  const sizes = [...draft.files.value.map((each) => each.bytes), ...taken.map((each) => each.size), size]
  return sizes.reduce((sum, each) => sum + each, 0) > MOST_BYTES ? words.tooMuch(name, bytes(MOST_BYTES)) : null
}

/** The files of what was pasted. Office programs add a picture of the text that they copy: the text counts then. */
export const filesOf = (transfer: DataTransfer | null): ReadonlyArray<File> => {
  const files = [...transfer?.files ?? []]
  return transfer?.getData("text/plain") !== "" && files.every(isPicture) ? [] : files
}

/** A long text as a file of a name that is free. */
export const pastedFile = (draft: Draft, text: string): File => {
  const names = new Set(draft.files.value.map(({ name }) => name))
  const number = Array.from({ length: names.size + 1 }, (_, at) => at + 1).find((at) => !names.has(words.pasted(at))) ??
    1
  return new File([text], words.pasted(number), { type: "text/plain" })
}
