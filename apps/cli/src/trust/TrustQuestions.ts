/** Asks a person at a terminal about each server that waits for approval, instead of only naming it. */
import type { TrustDetails } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { trustLines } from "../lines/TrustLines.ts"
import { printed } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import * as ServerTrust from "./ServerTrust.ts"

/** Gives whether a server stands otherwise than before. Asks nothing where nobody types or sees the question. */
export const ask = Effect.gen(function*() {
  const { inputIsTerminal, notesAreTerminal } = yield* Output
  const trust = yield* ServerTrust.current
  if (!inputIsTerminal || !notesAreTerminal || trust === null) return false
  const waiting = (yield* trust.servers).filter(ServerTrust.isAwaiting)
  const answers = yield* Effect.forEach(waiting, ({ name }) =>
    // Trouble with one server is no reason to ask about no other.
    Effect.catch(askAbout(trust, name), (error) => Effect.as(printed(error), false)))
  return answers.includes(true)
})

const askAbout = Effect.fnUntraced(function*(trust: ServerTrust.ServerTrust, name: string) {
  const details = yield* trust.details(name)
  const { notePaint, notes } = yield* Output
  yield* notes([
    `${notePaint.careful("?")} ${notePaint.bold(oneLine(name))} of ${oneLine(details.file)} ${about(details)}`,
    ...(summary(details) === "" ? [] : [`  ${oneLine(summary(details), 400)}`])
  ])
  const decision = yield* decided(details)
  if (decision === null) return false
  yield* trust.decide(name, decision, details.seen)
  return true
})

const about = ({ changes, tools }: TrustDetails): string =>
  tools !== null
    ? "has other tools than before; they wait for your yes"
    : changes === null
    ? "wants to start"
    : "wants to start, and has changed since you approved it"

/** The program that would run, or the address that would be asked. */
const summary = ({ entry }: TrustDetails): string => {
  const value = (key: string) => entry.find((one) => one.key === key)?.value ?? ""
  return [value("command"), value("args"), value("url")].filter((text) => text !== "").join(" ")
}

const decided = (
  details: TrustDetails
): Effect.Effect<ServerTrust.Decision | null, never, Keyboard | Output> =>
  Effect.gen(function*() {
    const { notePaint, notes } = yield* Output
    const keyboard = yield* Keyboard
    const said = yield* keyboard.line(`  ${notePaint.bold("[1] once  [2] always  [n] no  [v] never  [d] details")}: `)
    const answer = said?.trim().toLowerCase()
    if (answer === "d" || answer === "details") yield* notes(trustLines(details, false, notePaint))
    const decision = answer === undefined ? null : DECISIONS[answer]
    return decision === undefined ? yield* decided(details) : decision
  })

const DECISIONS: Readonly<Record<string, ServerTrust.Decision | null | undefined>> = {
  "1": "once",
  y: "once",
  yes: "once",
  once: "once",
  "2": "always",
  a: "always",
  always: "always",
  n: null,
  no: null,
  v: "never",
  never: "never"
}
