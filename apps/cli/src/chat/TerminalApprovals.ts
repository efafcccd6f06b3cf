/** Approvals of calls: by a person at the terminal, or by `--allow`. */
import type { Answer, Part } from "@boocode/chat"
import { toolView } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ArgumentLines from "../lines/ArgumentLines.ts"
import * as TextDifference from "../lines/TextDifference.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { atMost, oneLine, Output, type Paint, plain } from "../terminal/Output.ts"

type Request = Extract<Part, { readonly type: "approval" }>

/** Answers a request. Tools that `allow` names need no question; without a terminal all others are denied, with a reason. */
export const make = (allow: ReadonlyArray<string>) =>
  Effect.fnUntraced(function*(request: Request): Effect.fn.Return<Answer, never, Keyboard | Output> {
    const { inputIsTerminal, notePaint, notes, notesAreTerminal } = yield* Output
    if (isAllowed(request, allow)) return { decision: "once" }
    if (!inputIsTerminal) return { decision: "deny", reason: nobody(request.name) }
    const lines = questionLines(request, notePaint)
    yield* notes(notesAreTerminal ? ["", ...lines] : lines)
    return yield* asked(request, notePaint)
  })

/** Whether patterns of `--allow` name the tool. */
export const isAllowed = ({ name }: Pick<Request, "name">, allow: ReadonlyArray<string>): boolean =>
  toolView([{ name }], allow, []).tools.length > 0

const nobody = (name: string): string =>
  `there is no terminal to answer in; on the command line --allow ${name} allows it`

/** The call as it would be made. Its text comes from a model and a server, so control characters are removed. */
const questionLines = (
  request: Request,
  paint: Paint
): ReadonlyArray<string> => {
  const { class: kind, isTrusted, name, rule, server, tool } = request
  const from = [
    server === null ? "built in" : `${oneLine(tool)} of ${oneLine(server)}`,
    ...(kind === undefined ? [] : [kind]),
    ...(server === null || isTrusted ? [] : ["not trusted"])
  ]
  const because = rule === undefined || rule === null ? [] : [`${rule.source} says ${rule.text}`]
  return [
    `  ${paint.careful("?")} ${paint.bold(oneLine(name))} asks for your yes ${paint.dim(`(${from.join(", ")})`)}`,
    ...argumentLines(request, paint),
    ...[...because, ...hints(request)].map((line) => paint.dim(`    ${oneLine(line, 400)}`))
  ]
}

/** The arguments, and as a difference what they would change, where it is known what is there now. */
const argumentLines = ({ args, before = null }: Request, paint: Paint): ReadonlyArray<string> => {
  const now = before === null ? null : TextDifference.after(before, args)
  if (before === null || now === null) return ArgumentLines.shown(args, paint)
  const changes = TextDifference.lines(before, now, paint)
  return [
    ...ArgumentLines.shown(TextDifference.rest(args), paint),
    ...(changes.length === 0 ? [paint.dim("    changes nothing")] : atMost(changes, DIFFERENCE_LINES, paint))
  ]
}

const DIFFERENCE_LINES = 60

/** The hints about a tool, as far as its server tells. */
const hints = ({ annotations, class: kind }: Request): ReadonlyArray<string> => {
  if (kind === "writes") return ["it writes"]
  if (kind === "destroys") return ["it can destroy something for good"]
  if (annotations["readOnlyHint"] === true) return ["its server says that it only reads; nothing proves it"]
  return annotations["destructiveHint"] === false
    ? ["its server says that it destroys nothing; nothing proves it"]
    : ["it may change or destroy something"]
}

const asked = (request: Request, paint: Paint): Effect.Effect<Answer, never, Keyboard | Output> =>
  Effect.gen(function*() {
    const keyboard = yield* Keyboard
    const said = yield* keyboard.line(
      `    ${paint.bold("[1] once  [2] this chat  [h] an hour  [3] always  [n] no  [e] edit")}: `
    )
    // The end of the input is no.
    if (said === null) return { decision: "deny" }
    const choice = said.trim().toLowerCase()
    if (choice === "e" || choice === "edit") return yield* edited(request.args, paint)
    const decision = DECISIONS[choice]
    if (decision === undefined) return yield* asked(request, paint)
    if (decision === "once") return { decision }
    if (decision !== "deny") return yield* lasting(decision, request.suggestions ?? [], paint)
    const reason = yield* keyboard.line("    why? the model reads it, and it may stay empty: ")
    return { decision, reason: reason === null || reason.trim() === "" ? null : plain(reason.trim()) }
  })

/** The extent of a yes for more than this call: the narrowest rule, unless the person takes another or writes one. */
const lasting = (
  decision: "chat" | "hour" | "always",
  suggestions: NonNullable<Request["suggestions"]>,
  paint: Paint
): Effect.Effect<Answer, never, Keyboard | Output> =>
  Effect.gen(function*() {
    const [first, ...others] = suggestions
    if (first === undefined || others.length === 0) return answerFor(decision, first?.where ?? null)
    const { notes } = yield* Output
    const keyboard = yield* Keyboard
    yield* notes([
      "    for which calls?",
      ...suggestions.map(({ text }, at) => `    ${paint.bold(`[${at + 1}]`)} ${oneLine(text, 400)}`)
    ])
    const said = yield* keyboard.line("    a number, Enter for the first, or NAME=PATTERN: ")
    if (said === null) return { decision: "deny" }
    const [, key = "", pattern = ""] = /^([^=]+)=([^]+)$/.exec(said.trim()) ?? []
    if (key !== "") return answerFor(decision, { ...first.where, [key.trim()]: pattern.trim() })
    const chosen = said.trim() === "" ? first : suggestions[Number(said) - 1]
    return chosen === undefined
      ? yield* lasting(decision, suggestions, paint)
      : answerFor(decision, chosen.where)
  })

const answerFor = (decision: Answer["decision"], where: Answer["where"] | null): Answer =>
  where === null || where === undefined ? { decision } : { decision, where }

/**
 * Changes arguments one by one, then asks again. Changed arguments are sent once: a grant holds for those that the
 * model asked.
 */
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
  h: "hour",
  hour: "hour",
  "3": "always",
  a: "always",
  always: "always",
  n: "deny",
  no: "deny"
}
