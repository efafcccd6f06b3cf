/** What a scripted model is asked, and what it may answer. */
import { type Json } from "./Json.ts"

export type Api = "chat-completions" | "responses" | "messages"

export interface ToolResult {
  readonly id: string
  readonly text: string
}

/** A request that kept the rules, as far as a script needs it; `body` is all of it. */
export interface ModelRequest {
  readonly api: Api
  readonly model: string
  readonly system: string
  /** The last thing a person said. */
  readonly text: string
  /** The results that came after it and after the model's last answer; empty when the person has the last word. */
  readonly results: ReadonlyArray<ToolResult>
  readonly tools: ReadonlyArray<string>
  readonly body: Json
}

/** What the chat server says between a person's words: no person has the word then. */
export const isNote = (text: string): boolean => text.startsWith("(A note of the chat server")

export type Step =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly args: string; readonly hold?: Hold }
  | { readonly type: "wait"; readonly millis: number }
  | { readonly type: "drop" }

/** The arguments of a call stand still after so many characters, until the test lets them go on. */
export interface Hold {
  readonly after: number
  readonly until: Promise<unknown>
}

export interface Failure {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

/** Steps are streamed in order; calls next to each other are parallel. */
export type Reply = ReadonlyArray<Step> | Failure

export type Script = (request: ModelRequest) => Reply

export const text = (text: string): Step => ({ type: "text", text })

/** Comes with a signature or in encrypted form, where the API has one; it is refused when it comes back changed. */
export const reasoning = (text: string): Step => ({ type: "reasoning", text })

/** A string is sent as it is, so that broken arguments can be scripted. */
export const call = (name: string, args: unknown): Step => ({
  type: "call",
  name,
  args: typeof args === "string" ? args : JSON.stringify(args)
})

/** The same, written half until the test lets it go on. Not of Anthropic's format. */
export const heldCall = (name: string, args: unknown, hold: Hold): Step => ({
  type: "call",
  name,
  args: JSON.stringify(args),
  hold
})

/** Nothing comes for so long. */
export const wait = (millis: number): Step => ({ type: "wait", millis })

/** The connection breaks here. */
export const drop: Step = { type: "drop" }

/** An error before the stream: status, the provider's `type`, its message, and headers such as `retry-after`. */
export const fail = (
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): Failure => ({ status, type, message, headers })

/** Calls what `call TOOL {json}` asks for, one call a line; says what came back; else says again what was said. */
export const echo: Script = ({ results, text: said }) => {
  if (results.length > 0) return [text(`The tool said: ${results.map((result) => result.text).join("\n")}`)]
  const calls = [...said.matchAll(/\bcall ([\w-]+)[ \t]*(\{.*\})?/g)].map(([, name = "", args = "{}"]) =>
    call(name, args)
  )
  return calls.length > 0 ? calls : [text(`You said: ${said}`)]
}

/** How the pieces of a stream are sent: text as it is, a wait, or the end of the connection. */
export type Piece = string | Extract<Step, { type: "wait" | "drop" }> | {
  readonly type: "hold"
  readonly until: Promise<unknown>
}

/** Cuts text as models do, a few characters at a time, never inside a character. */
export const chunks = (text: string): ReadonlyArray<string> => {
  const characters = [...text]
  return Array.from(
    { length: Math.ceil(characters.length / 8) },
    (_, index) => characters.slice(index * 8, index * 8 + 8).join("")
  )
}

export type CallStep = Extract<Step, { readonly type: "call" }>

/** The arguments of a call as they are written, and where they stand still. */
export function* written({ args, hold }: CallStep, write: (text: string) => ReadonlyArray<string>): Generator<Piece> {
  yield* write(args.slice(0, hold?.after))
  if (hold === undefined) return
  yield { type: "hold", until: hold.until }
  yield* write(args.slice(hold.after))
}

export const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4)

/** One wire format: its rules, how it reads a request, how it says no, how it streams. */
export interface Dialect {
  readonly api: Api
  /** What a request breaks, the first first. Empty when it keeps the rules. */
  readonly problems: (body: Json) => ReadonlyArray<string>
  readonly read: (body: Json) => ModelRequest
  readonly error: (failure: Failure) => Json
  readonly stream: (request: ModelRequest, steps: ReadonlyArray<Step>, id: string) => Generator<Piece>
}
