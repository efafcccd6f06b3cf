/** The names by which programs call tools: `server.tool`, made of the raw pair. */
import * as Hash from "effect/Hash"
import type { ProgramFunction } from "./Sandbox.ts"

/** A tool by its raw name, its server and the name that models know it by. */
export interface Named {
  readonly name: string
  /** Null for a built-in tool. */
  readonly server: string | null
  readonly origin?: { readonly tool: string } | null | undefined
}

/**
 * The functions for these tools, in their order. Each server and each tool of a server gets an identifier. One that is an
 * identifier already keeps its name. Where another needs that name too, it gets a suffix that is computed from its raw name,
 * so that it does not depend on what else there is in the list.
 */
export const functions = (tools: ReadonlyArray<Named>): ReadonlyArray<ProgramFunction> => {
  const servers = identifiers([...new Set(tools.flatMap(({ server }) => server ?? []))], isServerFree)
  const byServer = Map.groupBy(tools, ({ server }) => server)
  const raw = new Map(
    [...byServer].map(([server, some]) => [server, identifiers(some.map(rawOf), () => true)] as const)
  )
  return tools.map((tool) => ({
    server: tool.server === null ? null : servers.get(tool.server) ?? null,
    tool: raw.get(tool.server)?.get(rawOf(tool)) ?? tool.name,
    name: tool.name
  }))
}

/** A tool's function as a program writes it. */
export const written = ({ name, server, tool }: ProgramFunction): string =>
  server === null ? isIdentifier(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]` : `${server}.${tool}`

const rawOf = ({ name, origin }: Named): string => origin?.tool ?? name

/** Whether a text is a name that JavaScript takes after a dot. */
export const isIdentifier = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text)

const isServerFree = (name: string): boolean => !TAKEN.has(name)

/** An identifier for each text. A text that is one, and is free, stays as it is. */
const identifiers = (
  texts: ReadonlyArray<string>,
  isFree: (name: string) => boolean
): ReadonlyMap<string, string> => {
  const wanted = new Map(texts.map((text) => [text, legal(text)] as const))
  const counts = new Map<string, number>()
  for (const name of wanted.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map([...wanted].map(([text, name]) => {
    const isItsOwn = isFree(name) && !SUFFIX.test(name) && (text === name || counts.get(name) === 1)
    return [text, isItsOwn ? name : `${name}_${hashOf(text)}`]
  }))
}

/** A name that ends so could be taken for that of another. */
const SUFFIX = /_[0-9a-f]{8}$/

const hashOf = (text: string): string => (Hash.string(text) >>> 0).toString(16).padStart(8, "0")

const MOST = 64

const legal = (text: string): string => {
  const letters = text.slice(0, MOST).replaceAll(/[^\w$]/g, "_")
  return /^[A-Za-z_$]/.test(letters) ? letters : `_${letters}`
}

/** Names that a program needs for something else, or that JavaScript keeps for itself. */
const TAKEN: ReadonlySet<string> = new Set(
  ("arguments await boo break case catch class console const continue debugger default delete do else enum eval " +
    "export extends false finally for function globalThis if implements import in instanceof interface let new null " +
    "package private protected public return static super switch this throw tools true try typeof undefined var void " +
    "while with yield " +
    "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error " +
    "EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array " +
    "Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp " +
    "Set SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array " +
    "Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly decodeURI decodeURIComponent encodeURI " +
    "encodeURIComponent escape isFinite isNaN parseFloat parseInt performance queueMicrotask structuredClone " +
    "unescape").split(" ")
)
