/** The program of the thread that reads one PDF: it posts how many pages there are, the text of each, and how it ended. */
import { parentPort, workerData } from "node:worker_threads"
import { getDocumentProxy } from "unpdf"

export type PdfNews =
  | { readonly type: "opened"; readonly pages: number }
  | { readonly type: "page"; readonly text: string }
  | { readonly type: "ended" }
  | { readonly type: "failed"; readonly name: string; readonly message: string }

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

const post = (news: PdfNews): void => parentPort?.postMessage(news)

const textOf = (pdf: Pdf, number: number): Promise<string> =>
  pdf.getPage(number).then((page) =>
    page.getTextContent().then(({ items }) => {
      page.cleanup()
      return items.map((item) => "str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "").join("")
    })
  )

/** A page that cannot be read is one without text. */
const postFrom = (pdf: Pdf, number: number): Promise<void> =>
  number > pdf.numPages ? Promise.resolve() : textOf(pdf, number).catch(() => "").then((text) => {
    post({ type: "page", text })
    return postFrom(pdf, number + 1)
  })

const read = (bytes: Uint8Array): Promise<void> =>
  getDocumentProxy(bytes, { verbosity: 0 }).then((pdf) => {
    post({ type: "opened", pages: pdf.numPages })
    return postFrom(pdf, 1)
  })

const given: unknown = workerData

if (given instanceof Uint8Array) {
  read(given).then(
    () => post({ type: "ended" }),
    (error: unknown) =>
      post({
        type: "failed",
        name: error instanceof Error ? error.name : "",
        message: error instanceof Error ? error.message : String(error)
      })
  )
}
