/** Writes each message in pieces, by default of one byte, each by itself, wherever characters begin and end. */
import { rewriteOutput, serveTools } from "./ZooServer.ts"

const size = Number(process.argv[2] ?? 1)
let last = Promise.resolve()

const inPieces = async (bytes: Uint8Array, write: (bytes: Uint8Array) => void) => {
  for (let start = 0; start < bytes.length; start += size) {
    write(bytes.subarray(start, start + size))
    // Lets the reader get this piece before the next is written.
    await new Promise(setImmediate)
  }
}

rewriteOutput((text, write) => {
  last = last.then(() => inPieces(Buffer.from(text), write))
})
serveTools("split-messages", {})
