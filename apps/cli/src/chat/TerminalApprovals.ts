/** Approvals of calls: by a person at the terminal, or by `--allow`. */
import type { Answer, Part } from "@boocode/chat"
import { toolView } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { Keyboard } from "../terminal/Keyboard.ts"
import { atMost, indented, oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

type Request = Extract<Part, { readonly type: "approval" }>

/** Answers a request. Tools that `allow` names need no question; without a terminal all others are denied, with a reason. */
export const make = (allow: ReadonlyArray<string>) =>
  Effect.fnUntraced(function*(request: Request): Effect.fn.Return<Answer, never, Keyboard | Output> {
    const { inputIsTerminal, notePaint, notes } = yield* Output
    if (toolView([request], allow, []).tools.length > 0) return { decision: "once" }
    if (!inputIsTerminal) return { decision: "deny", reason: nobody(request.name) }
    yield* notes(questionLines(request, notePaint))
    return yield* asked(notePaint)
  })

const nobody = (name: string): string =>
  `there is no terminal to answer in; on the command line --allow ${name} allows it`

/** The call as it would be made. Its text comes from a model and a server, so control characters are removed. */
const questionLines = (
  { annotations, args, isTrusted, name, server, tool }: Request,
  paint: Paint
): ReadonlyArray<string> => {
  const from = server === null
    ? "built in"
    : `${oneLine(tool)} of ${oneLine(server)}${isTrusted ? "" : ", not trusted"}`
  const lines = indented(JSON.stringify(args, null, 2), "  ").map(cut)
  return [
    `${paint.careful("?")} ${paint.bold(oneLine(name))} asks for your yes ${paint.dim(`(${from})`)}`,
    ...atMost(lines, ARGUMENT_LINES, paint),
    ...hints(annotations).map((line) => paint.dim(`  ${line}`))
  ]
}

const ARGUMENT_LINES = 40
const LINE_CHARACTERS = 400

const cut = (line: string): string =>
  line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS)}… (${line.length} characters)`

/** The claims of a server about its own tool. */
const hints = (annotations: Request["annotations"]): ReadonlyArray<string> => {
  if (annotations["readOnlyHint"] === true) return ["its server says that it only reads; nothing proves it"]
  return annotations["destructiveHint"] === false
    ? ["its server says that it destroys nothing; nothing proves it"]
    : ["it may change or destroy something"]
}

const asked = (paint: Paint): Effect.Effect<Answer, never, Keyboard> =>
  Effect.gen(function*() {
    const keyboard = yield* Keyboard
    const said = yield* keyboard.line(`  ${paint.bold("[y]es once, for this [c]hat, [a]lways, [n]o")}: `)
    // The end of the input is no.
    if (said === null) return { decision: "deny" }
    const decision = DECISIONS[said.trim().toLowerCase()]
    if (decision === undefined) return yield* asked(paint)
    if (decision !== "deny") return { decision }
    const reason = yield* keyboard.line("  why? the model reads it, and it may stay empty: ")
    return { decision, reason: reason === null || reason.trim() === "" ? null : plain(reason.trim()) }
  })

const DECISIONS: Readonly<Record<string, Answer["decision"] | undefined>> = {
  y: "once",
  yes: "once",
  once: "once",
  c: "chat",
  chat: "chat",
  a: "always",
  always: "always",
  n: "deny",
  no: "deny"
}
