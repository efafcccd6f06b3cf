/** A snapshot as bytes: a mark with the version, the length of a header, the header as JSON, and the memory of the program. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { CallRecord, Snapshot } from "./Sandbox.ts"
import type { SavedState } from "./ThreadMessages.ts"

const MARK = "BOO1"

const Line = Schema.NullOr(Schema.Int)

const Header = Schema.fromJsonString(Schema.Struct({
  build: Schema.String,
  source: Schema.String,
  spent: Schema.Finite,
  roots: Schema.Array(Schema.Int),
  console: Schema.Array(Schema.String),
  answered: Schema.Array(Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    line: Line,
    outcome: Schema.Literals(["done", "failed", "unknown", "not made"]),
    millis: Schema.Finite
  })),
  open: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String, line: Line, text: Schema.String }))
}))

/** A program that waits, whole. */
export interface SavedProgram {
  readonly build: string
  readonly source: string
  readonly console: ReadonlyArray<string>
  readonly answered: ReadonlyArray<CallRecord>
  readonly open: ReadonlyArray<{
    readonly id: number
    readonly name: string
    readonly line: number | null
    readonly text: string
  }>
  readonly state: SavedState
}

const START = MARK.length + 4

export const encode = ({ state, ...saved }: SavedProgram): Snapshot => {
  const { memory, roots, spent } = state
  const header = new TextEncoder().encode(JSON.stringify({ ...saved, spent, roots }))
  const bytes = new Uint8Array(START + header.length + memory.length)
  bytes.set(new TextEncoder().encode(MARK))
  new DataView(bytes.buffer).setUint32(MARK.length, header.length)
  bytes.set(header, START)
  bytes.set(memory, START + header.length)
  return bytes
}

/** The program in a snapshot; a failure ends a sentence about it. */
export const decode = (snapshot: Snapshot): Result.Result<SavedProgram, string> => {
  if (snapshot.length < START || text(snapshot.subarray(0, MARK.length)) !== MARK) {
    return Result.fail("has another format than this version of BooCode writes")
  }
  const end = START + new DataView(snapshot.buffer, snapshot.byteOffset).getUint32(MARK.length)
  return Result.mapBoth(decodeHeader(text(snapshot.subarray(START, end))), {
    onFailure: () => "is damaged",
    onSuccess: ({ roots, spent, ...saved }) => ({ ...saved, state: { memory: snapshot.slice(end), roots, spent } })
  })
}

const decodeHeader = Schema.decodeUnknownResult(Header)

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
