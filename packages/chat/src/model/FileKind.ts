/** The kind of a file, by its bytes and its name. */

/** Names of formats that no model reads, and what to do with them. */
export interface Unreadable {
  /** Ends a sentence about the file. */
  readonly detail: string
  readonly hint: string
}

/** Whether the bytes are a PDF: its mark stands within the first 1,024 bytes. */
export const isPdf = (bytes: Uint8Array): boolean => startOf(bytes, 1024).includes("%PDF-")

/** Why a file of a known format cannot be attached; null for any other. */
export const unreadable = (name: string, bytes: Uint8Array): Unreadable | null => {
  const start = startOf(bytes, 512)
  const extension = extensionOf(name)
  if (start.startsWith("PK\x03\x04") || start.startsWith("PK\x05\x06")) {
    return OFFICE[extension] ?? (extension === "epub" ? book : archive("a ZIP archive"))
  }
  if (start.startsWith("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) return OFFICE[extension] ?? office("an Office document")
  if (start.startsWith("{\\rtf")) return office("an RTF document")
  const known = SIGNATURES.find(({ begins }) => begins.test(start))
  return known === undefined ? null : known.says
}

/**
 * The media type of a text: what the sender says when that names a text, else what its extension stands for, else
 * `text/plain`.
 */
export const textType = (name: string, given: string): string => {
  const [type = ""] = given.toLowerCase().split(";")
  return TEXT_TYPE.test(type) ? type : EXTENSIONS[extensionOf(name)] ?? "text/plain"
}

const startOf = (bytes: Uint8Array, length: number): string => String.fromCharCode(...bytes.subarray(0, length))

const extensionOf = (name: string): string => /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ""

const office = (what: string, other = "text"): Unreadable => ({
  detail: `it is ${what}, which no model reads`,
  hint: `save it as PDF or as ${other}, and attach that`
})

const sheet = office("a spreadsheet", "CSV")
const slides = office("a presentation")
const document = office("a document of a word processor")

const OFFICE: Readonly<Record<string, Unreadable>> = {
  doc: document,
  docx: document,
  docm: document,
  odt: document,
  pages: document,
  xls: sheet,
  xlsx: sheet,
  xlsm: sheet,
  ods: sheet,
  numbers: sheet,
  ppt: slides,
  pptx: slides,
  pptm: slides,
  odp: slides,
  key: slides
}

const book = office("an e-book")

const archive = (what: string): Unreadable => ({
  detail: `it is ${what}`,
  hint: "unpack it, and attach the files that matter"
})

const media = (what: string): Unreadable => ({
  detail: `it is ${what}, which cannot be attached`,
  hint: "attach a text of what is in it, such as a transcript"
})

const SIGNATURES: ReadonlyArray<{ readonly begins: RegExp; readonly says: Unreadable }> = [
  { begins: /^\x1f\x8b/, says: archive("a gzip archive") },
  { begins: /^BZh[1-9]/, says: archive("a bzip2 archive") },
  { begins: /^7z\xbc\xaf\x27\x1c/, says: archive("a 7-Zip archive") },
  { begins: /^Rar!\x1a\x07/, says: archive("a RAR archive") },
  { begins: /^\xfd7zXZ\x00/, says: archive("an xz archive") },
  { begins: /^[^]{257}ustar/, says: archive("a tar archive") },
  { begins: /^(ID3|\xff[\xf2\xf3\xfb]|fLaC|OggS|RIFF[^]{4}WAVE)/, says: media("audio") },
  { begins: /^([^]{4}ftyp|\x1aE\xdf\xa3|RIFF[^]{4}AVI )/, says: media("a video") }
]

const TEXT_TYPE = /^(text\/[\w.+-]+|application\/(json|xml|yaml|toml|sql|javascript|[\w.-]+\+(json|xml)))$/

const EXTENSIONS: Readonly<Record<string, string>> = {
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  md: "text/markdown",
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  json: "application/json",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml"
}
