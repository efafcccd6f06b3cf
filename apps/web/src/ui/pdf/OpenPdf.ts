/** An open PDF: read by one worker and drawn by another, which are ended with it whatever they do. */
import {
  getDocument,
  GlobalWorkerOptions,
  type PDFDocumentLoadingTask,
  type PDFPageProxy,
  PDFWorker,
  TextLayer
} from "pdfjs-dist"
import drawerAddress from "pdfjs-dist/build/pdf.renderer.min.mjs?url"
// oxlint-disable-next-line import/default -- with `?url` Vite gives the address
import readerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url"

/** Why a PDF is not shown. */
export type PdfFault = "missing" | "large" | "password" | "damaged" | "slow"

export class PdfRefused extends Error {
  readonly fault: PdfFault
  constructor(fault: PdfFault) {
    super(fault)
    this.fault = fault
  }
}

const MOST_BYTES = 50_000_000
/** The time after which a page, or the file, is given up. */
const LIMIT_MILLIS = 20_000
/** A page may ask for any size: more than this is drawn smaller. */
const MOST_PIXELS = 16_000_000
const LONGEST_SIDE = 8192
/** A page of more pieces than so many has no text to select. */
const MOST_PIECES = 5000

export interface DrawnPage {
  readonly canvas: HTMLCanvasElement
  readonly text: HTMLElement
  readonly width: number
  readonly height: number
  /** CSS pixels for a unit of the page. */
  readonly scale: number
}

export interface OpenPdf {
  readonly pages: number
  /**
   * Draws a page, as wide as this in CSS pixels, after the drawing before it. Refused when it takes too long; then the
   * PDF is closed, unless nobody wants the page any more.
   */
  readonly draw: (page: number, width: number, signal: AbortSignal) => Promise<DrawnPage>
  readonly close: () => void
}

/** Opens the PDF at an address of this server. Nothing of it is run, and it asks nobody for anything. */
export const openPdf = async (address: string, signal: AbortSignal): Promise<OpenPdf> => {
  const data = await bytesOf(address, signal)
  signal.throwIfAborted()
  const reader = new Worker(readerAddress, { type: "module" })
  const drawer = new Worker(drawerAddress, { type: "module" })
  let task: PDFDocumentLoadingTask | null = null
  // A worker that is busy for ever does not listen.
  const close = () => {
    void task?.destroy().catch(() => {})
    reader.terminate()
    drawer.terminate()
  }
  signal.addEventListener("abort", close)
  const within = async <A>(promise: Promise<A>, wanted: AbortSignal): Promise<A> =>
    await limited(promise).catch((error: unknown) => {
      if (wanted === signal || !wanted.aborted) close()
      throw refusalOf(error)
    })
  const read = async () => {
    GlobalWorkerOptions.rendererPorts = [drawer]
    task = getDocument({
      data,
      worker: PDFWorker.create({ port: reader }),
      cMapUrl: new URL("/cmaps/", location.href).href,
      wasmUrl: new URL("/codecs/", location.href).href,
      useWasm: false,
      maxImageSize: MOST_PIXELS,
      canvasMaxAreaInBytes: MOST_PIXELS * 4,
      isImageDecoderSupported: false,
      verbosity: 0
    })
    return await task.promise
  }
  const pdf = await within(read(), signal)
  let before: Promise<unknown> = Promise.resolve()
  const inTurn = async (number: number, width: number, wanted: AbortSignal) => {
    await before
    wanted.throwIfAborted()
    return await drawn(await pdf.getPage(number), width, wanted)
  }
  return {
    pages: pdf.numPages,
    draw: (number, width, wanted) => {
      const drawing = inTurn(number, width, wanted)
      before = drawing.catch(() => {})
      return within(drawing, wanted)
    },
    close
  }
}

const bytesOf = async (address: string, signal: AbortSignal): Promise<Uint8Array> => {
  const answer = await fetch(address, { signal })
  if (!answer.ok) throw new PdfRefused("missing")
  if (Number(answer.headers.get("content-length") ?? 0) > MOST_BYTES) throw new PdfRefused("large")
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (bytes.length > MOST_BYTES) throw new PdfRefused("large")
  return bytes
}

const limited = <A>(promise: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new PdfRefused("slow")), LIMIT_MILLIS)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })

const refusalOf = (error: unknown): PdfRefused => {
  if (error instanceof PdfRefused) return error
  return new PdfRefused(error instanceof Error && error.name === "PasswordException" ? "password" : "damaged")
}

const drawn = async (page: PDFPageProxy, width: number, signal: AbortSignal): Promise<DrawnPage> => {
  signal.throwIfAborted()
  const whole = page.getViewport({ scale: 1 })
  const viewport = page.getViewport({ scale: Math.min(width / whole.width, LONGEST_SIDE / whole.height) })
  const most = Math.min(
    Math.sqrt(MOST_PIXELS / (viewport.width * viewport.height)),
    LONGEST_SIDE / Math.max(viewport.width, viewport.height)
  )
  const density = Math.min(devicePixelRatio, most)
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.floor(viewport.width * density))
  canvas.height = Math.max(1, Math.floor(viewport.height * density))
  const task = page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] })
  const cancel = () => task.cancel()
  signal.addEventListener("abort", cancel)
  try {
    await task.promise
    signal.throwIfAborted()
    const text = document.createElement("div")
    const content = await page.getTextContent()
    signal.throwIfAborted()
    if (content.items.length <= MOST_PIECES) {
      await new TextLayer({ textContentSource: content, container: text, viewport }).render()
    }
    return { canvas, text, width: viewport.width, height: viewport.height, scale: viewport.scale }
  } finally {
    signal.removeEventListener("abort", cancel)
    page.cleanup()
  }
}
