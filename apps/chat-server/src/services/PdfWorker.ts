/**
 * The text of PDFs, read by pdf.js (`unpdf`) in a thread of its own, which is ended when it takes too much time or memory.
 */
import { PdfReader, type PdfText, PdfUnreadable } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { Worker } from "node:worker_threads"
import * as Installation from "../settings/Installation.ts"
import type { PdfNews } from "./PdfPages.ts"

/** The limits of one PDF. */
export interface PdfLimits {
  readonly pages: number
  readonly seconds: number
  /** The memory of the thread, unpacked data included. */
  readonly bytes: number
  /** The length of text, in UTF-16 units. */
  readonly characters: number
}

export const LIMITS: PdfLimits = { pages: 2000, seconds: 20, bytes: 512_000_000, characters: 10_000_000 }

/** So many PDFs are read at the same time; the next ones wait. */
const AT_ONCE = 2

/**
 * Reads PDFs within these limits. A limit that is met after the first pages leaves the text of those. The thread is
 * started for each PDF and gone when it is read, so that nothing of a PDF stays.
 */
export const layer = (limits: PdfLimits = LIMITS): Layer.Layer<never> =>
  Layer.effect(
    PdfReader,
    Effect.map(Semaphore.make(AT_ONCE), (semaphore) => ({
      read: (bytes: Uint8Array) => semaphore.withPermit(Effect.scoped(read(bytes, limits)))
    }))
  )

interface Progress {
  pages: number | null
  characters: number
  readonly texts: Array<string>
}

const read = Effect.fn("PdfWorker.read")(function*(bytes: Uint8Array, limits: PdfLimits) {
  const progress: Progress = { pages: null, characters: 0, texts: [] }
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => start(bytes)),
    (worker) => Effect.promise(() => worker.terminate())
  )
  const limit = yield* Effect.raceAllFirst([
    ended(worker, progress, limits),
    Effect.as(Effect.sleep(limits.seconds * 1000), `it takes longer than ${limits.seconds} s to read`),
    tooMuchMemory(worker, limits.bytes)
  ])
  const { pages, texts } = progress
  if (limit !== null && texts.length === 0) return yield* new PdfUnreadable({ detail: limit, hint: SIMPLER })
  return { pages: pages ?? texts.length, texts } satisfies PdfText
})

const SIMPLER = "print it into a new PDF, or save it as text, and attach that"

const start = (bytes: Uint8Array): Worker =>
  new Worker(Installation.pdfPages, {
    workerData: bytes,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
  })

/** Null when all pages were read, else the limit that ended it. */
const ended = (worker: Worker, progress: Progress, limits: PdfLimits): Effect.Effect<string | null, PdfUnreadable> =>
  Effect.callback((resume) => {
    const hear = (news: PdfNews): void => {
      if (news.type === "ended") resume(Effect.succeed(null))
      else if (news.type === "failed") resume(Effect.fail(unreadable(news)))
      else if (news.type === "opened") {
        progress.pages = news.pages
        if (news.pages > limits.pages) resume(Effect.fail(tooManyPages(news.pages, limits.pages)))
      } else {
        progress.characters += news.text.length
        if (progress.characters > limits.characters) resume(Effect.succeed("it has too much text"))
        else progress.texts.push(news.text)
      }
    }
    worker.on("message", hear)
    worker.on(
      "error",
      (error) => resume(Effect.succeed(isMemory(error) ? MEMORY : `it breaks its reader (${error.message})`))
    )
    worker.on("exit", () => resume(Effect.succeed("it breaks its reader")))
  })

const MEMORY = "it unpacks to more than can be held in memory"

const isMemory = (error: Error): boolean => "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"

const tooManyPages = (pages: number, most: number) =>
  new PdfUnreadable({ detail: `it has ${pages} pages, more than ${most}`, hint: "attach the pages that matter" })

const unreadable = ({ message, name }: { readonly name: string; readonly message: string }): PdfUnreadable =>
  name === "PasswordException"
    ? new PdfUnreadable({
      detail: "it is protected by a password",
      hint: "save it without the password, and attach that"
    })
    : new PdfUnreadable({ detail: `it is a damaged PDF (${message})`, hint: SIMPLER })

/** Unpacked data lies outside of the heap that Node limits, so it is looked at while the thread works. */
const tooMuchMemory = (worker: Worker, most: number): Effect.Effect<string> =>
  Effect.promise(() =>
    worker.getHeapStatistics().then(
      (now) => now.external_memory + now.used_heap_size,
      () => 0 // it has ended
    )
  ).pipe(
    Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (used) => used > most }),
    Effect.as(MEMORY)
  )
