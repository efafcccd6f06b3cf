/** Approvals of calls: by a person at the terminal, or by `--allow`. */
import type { Answer, Part } from "@boocode/chat"
import { toolView } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ArgumentLines from "../lines/ArgumentLines.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

type Request = Extract<Part, { readonly type: "approval" }>

/** Answers a request. Tools that `allow` names need no question; without a terminal all others are denied, with a reason. */
export const make = (allow: ReadonlyArray<string>) =>
  Effect.fnUntraced(function*(request: Request): Effect.fn.Return<Answer, never, Keyboard | Output> {
    const { inputIsTerminal, notePaint, notes, notesAreTerminal } = yield* Output
    if (toolView([request], allow, []).tools.length > 0) return { decision: "once" }
    if (!inputIsTerminal) return { decision: "deny", reason: nobody(request.name) }
    const lines = questionLines(request, notePaint)
    yield* notes(notesAreTerminal ? ["", ...lines] : lines)
    return yield* asked(request.args, notePaint)
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
  return [
    `  ${paint.careful("?")} ${paint.bold(oneLine(name))} asks for your yes ${paint.dim(`(${from})`)}`,
    ...ArgumentLines.shown(args, paint),
    ...hints(annotations).map((line) => paint.dim(`    ${line}`))
  ]
}

/** The claims of a server about its own tool. */
const hints = (annotations: Request["annotations"]): ReadonlyArray<string> => {
  if (annotations["readOnlyHint"] === true) return ["its server says that it only reads; nothing proves it"]
  return annotations["destructiveHint"] === false
    ? ["its server says that it destroys nothing; nothing proves it"]
    : ["it may change or destroy something"]
}

const asked = (args: Schema.JsonObject, paint: Paint): Effect.Effect<Answer, never, Keyboard | Output> =>
  Effect.gen(function*() {
    const keyboard = yield* Keyboard
    const said = yield* keyboard.line(
      `    ${paint.bold("[1] once  [2] this chat  [3] always  [n] no  [e] edit")}: `
    )
    // The end of the input is no.
    if (said === null) return { decision: "deny" }
    const choice = said.trim().toLowerCase()
    if (choice === "e" || choice === "edit") return yield* edited(args, paint)
    const decision = DECISIONS[choice]
    if (decision === undefined) return yield* asked(args, paint)
    if (decision !== "deny") return { decision }
    const reason = yield* keyboard.line("    why? the model reads it, and it may stay empty: ")
    return { decision, reason: reason === null || reason.trim() === "" ? null : plain(reason.trim()) }
  })

/** Changes arguments one by one, then asks again. What was changed is sent once: a grant holds for what the model asked. */
const edited = (args: Schema.JsonObject, paint: Paint): Effect.Effect<Answer, never, Keyboard | Output> =>
  Effect.gen(function*() {
    const keyboard = yield* Keyboard
    const { notes } = yield* Output
    const said = yield* keyboard.line("    NAME=VALUE changes it, Enter sends it, n does not: ")
    const text = said?.trim() ?? "n"
    if (text === "") return { decision: "once", args }
    if (/^no?$/i.test(text)) return { decision: "deny", reason: null }
    const [, key = "", value = ""] = /^([^=]+)=([^]*)$/.exec(text) ?? []
    if (key === "") return yield* edited(args, paint)
    const changed = { ...args, [key.trim()]: valueOf(value.trim(), args[key.trim()]) }
    yield* notes(ArgumentLines.of(changed, paint))
    return yield* edited(changed, paint)
  })

/** Text stays text where text stood; elsewhere what can be read as JSON is JSON. */
const valueOf = (typed: string, before: Schema.Json | undefined): Schema.Json =>
  typeof before === "string" ? typed : Option.getOrElse(fromJson(typed), () => typed)

const fromJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const DECISIONS: Readonly<Record<string, Answer["decision"] | undefined>> = {
  "1": "once",
  y: "once",
  yes: "once",
  once: "once",
  "2": "chat",
  c: "chat",
  chat: "chat",
  "3": "always",
  a: "always",
  always: "always",
  n: "deny",
  no: "deny"
}
