/** The engine, compiled once for all programs of a thread. */
import { readFile } from "node:fs/promises"

declare global {
  // Types of browsers have it, and those of Node do not.
  namespace WebAssembly {
    interface Module {
      readonly [Symbol.toStringTag]: string
    }
    const compile: (bytes: Uint8Array) => Promise<Module>
  }
}

export type Wasm = WebAssembly.Module

export interface EngineModule {
  readonly wasm: Wasm
  readonly bytes: Uint8Array
}

/** Reads and compiles it. */
export const load = (file: URL): Promise<EngineModule> =>
  readFile(file).then((bytes) => WebAssembly.compile(bytes).then((wasm) => ({ wasm, bytes })))
