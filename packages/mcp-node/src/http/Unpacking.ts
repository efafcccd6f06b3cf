/**
 * Unpacks a response that a server has packed, as it comes.
 */
import type { Receiving as Response } from "@boocode/mcp-client"
import type { Transform } from "node:stream"
import * as Zlib from "node:zlib"

/** What a request says that it takes: not "deflate", which is written in two ways. @category constants */
export const KNOWN = "gzip, br"

/** @category models */
export interface Unpacking {
  readonly push: (chunk: Uint8Array) => void
  readonly end: () => void
  /** Nothing is told from then on. */
  readonly stop: () => void
}

/** @category models */
export interface Receiving {
  /** Gives what to wait for before more is unpacked; nothing where there is none. */
  readonly onData: Response["onData"]
  readonly onEnd: () => void
  readonly onError: (error: unknown) => void
  /** Asks for no more before `resume`: what is packed comes faster than it can be unpacked. */
  readonly pause: () => void
  readonly resume: () => void
}

/** Begins to unpack. @category models */
export type Unpack = (receiving: Receiving) => Unpacking

/** Null for a response that is not packed, or in a way that nobody asked for. @category constructors */
export const of = (encoding: string | ReadonlyArray<string> | undefined): Unpack | null => {
  const unpack = typeof encoding === "string" ? UNPACK.get(encoding.trim().toLowerCase()) : undefined
  return unpack === undefined ? null : (receiving) => through(unpack(), receiving)
}

/** What has come is given at once, and a response that breaks off gives what there is: an event must not wait. */
const OPTIONS = { flush: Zlib.constants.Z_SYNC_FLUSH, finishFlush: Zlib.constants.Z_SYNC_FLUSH }
const BROTLI = {
  flush: Zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: Zlib.constants.BROTLI_OPERATION_FLUSH
}

const UNPACK: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", () => Zlib.createGunzip(OPTIONS)],
  ["x-gzip", () => Zlib.createGunzip(OPTIONS)],
  ["deflate", () => Zlib.createInflate(OPTIONS)],
  ["br", () => Zlib.createBrotliDecompress(BROTLI)]
])

const through = (stream: Transform, { onData, onEnd, onError, pause, resume }: Receiving): Unpacking => {
  const told = (chunk: Uint8Array) => {
    const wait = onData(chunk)
    if (!wait) return
    stream.pause()
    wait(() => void stream.resume())
  }
  stream.on("data", told).on("end", onEnd).on("error", onError).on("drain", resume)
  return {
    push: (chunk) => stream.write(chunk) ? undefined : pause(),
    end: () => void stream.end(),
    stop: () => {
      stream.removeAllListeners()
      // One that still works on a piece may fail after it was given up.
      stream.on("error", () => {}).destroy()
    }
  }
}
