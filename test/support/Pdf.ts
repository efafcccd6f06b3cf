/** Small PDFs, made of their parts. */

interface Made {
  /** Of a content stream, such as `/Filter /FlateDecode`. */
  readonly filter?: string
  /** Further entries of the trailer, such as `/Encrypt`. */
  readonly trailer?: string
  /** Further entries of the catalog, such as `/OpenAction`. */
  readonly catalog?: string
  /** The width and the height of a page. */
  readonly size?: string
  /** A picture of 8 by 8 in JPEG 2000, which contents draw as `/Im Do`. */
  readonly picture?: Buffer
}

/** The content of a page that says these lines. */
export const lines = (...words: ReadonlyArray<string>): string =>
  `BT /F1 24 Tf 72 700 Td ${words.map((word) => `(${word}) Tj 0 -30 Td`).join(" ")} ET`

/** A PDF of pages with these contents. */
export const of = (
  contents: ReadonlyArray<string | Buffer>,
  { catalog = "", filter = "", picture, size = "612 792", trailer = "" }: Made = {}
): Buffer => {
  const chunks: Array<Buffer> = []
  const offsets: Array<number> = []
  let length = 0
  const add = (chunk: string | Buffer) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, "latin1") : chunk
    chunks.push(bytes)
    length += bytes.length
  }
  const object = (number: number, ...body: ReadonlyArray<string | Buffer>) => {
    offsets[number] = length
    add(`${number} 0 obj\n`)
    body.forEach(add)
    add("\nendobj\n")
  }
  add("%PDF-1.7\n")
  object(1, `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`)
  const kids = contents.map((_, at) => `${4 + 2 * at} 0 R`).join(" ")
  object(2, `<< /Type /Pages /Count ${contents.length} /Kids [${kids}] >>`)
  object(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
  contents.forEach((content, at) => {
    const page = 4 + 2 * at
    const pictures = picture === undefined ? "" : `/XObject << /Im ${4 + 2 * contents.length} 0 R >>`
    const fonts = `/Resources << /Font << /F1 3 0 R >> ${pictures} >>`
    object(page, `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] ${fonts} /Contents ${page + 1} 0 R >>`)
    object(page + 1, `<< /Length ${content.length} ${filter} >>\nstream\n`, content, "\nendstream")
  })
  if (picture !== undefined) {
    const about = "/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceRGB /BitsPerComponent 8"
    const stream = `<< ${about} /Filter /JPXDecode /Length ${picture.length} >>\nstream\n`
    object(4 + 2 * contents.length, stream, picture, "\nendstream")
  }
  const start = length
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`)
  add(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join("")}`)
  add(`trailer\n<< /Size ${offsets.length} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(chunks)
}
