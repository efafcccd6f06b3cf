/** The questions of `setup`, on a terminal: which provider, its address, its name, its key; then it is tried. */
import type { Draft } from "@boocode/chat-server/ModelLayer"
import * as ProviderEntries from "@boocode/language-models/ProviderEntry"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type FoundProvider, ModelBackend } from "../backend/ModelBackend.ts"
import { Ended } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { counted, oneLine, Output } from "../terminal/Output.ts"

export interface Described {
  readonly name: string
  readonly draft: Draft
  readonly isWanted: boolean
}

/** Asks until the provider answers, or the person saves it or gives up. Fails with exit 1 at the end of the input. */
export const ask: Effect.Effect<
  Described,
  Ended | Effect.Error<ReturnType<ModelBackend["Service"]["test"]>>,
  Services
> = Effect.gen(function*() {
  const { found } = yield* ModelBackend
  const choice = yield* chosen(choices(yield* found))
  const url = choice.url === ASKED ? yield* answer("address", LOCAL) : choice.url
  const name = yield* answer("name", choice.name)
  for (;;) {
    const key = yield* typedKey(choice.kind)
    const draft = { kind: choice.kind, url, key }
    const next = yield* attempt(name, draft)
    if (next !== "again") return { name, draft, isWanted: next === "save" }
  }
})

type Services = ModelBackend | Keyboard | Output

/** The address is asked for. */
const ASKED = Symbol("asked")

const LOCAL = "http://127.0.0.1:11434/v1"

interface Choice {
  readonly title: string
  readonly name: string
  readonly kind: ProviderEntries.ProviderKind
  readonly url: string | null | typeof ASKED
}

const MAKERS = ["openai", "anthropic", "google"] as const

const choices = (found: ReadonlyArray<FoundProvider>): ReadonlyArray<Choice> => [
  ...found.map(({ models, name, url }) => ({
    title: `${name} at ${url}, which runs here with ${counted(models, "model")}`,
    name,
    kind: "openai-compatible" as const,
    url
  })),
  ...MAKERS.map((kind) => ({ title: ProviderEntries.KINDS[kind].title, name: kind, kind, url: null })),
  {
    title: ProviderEntries.KINDS["openai-compatible"].title,
    name: "local",
    kind: "openai-compatible",
    url: ASKED
  }
]

const chosen = Effect.fnUntraced(function*(all: ReadonlyArray<Choice>) {
  const { notePaint, notes } = yield* Output
  yield* notes(["Where are the models?", ...all.map(({ title }, index) => `  ${index + 1}  ${oneLine(title)}`)])
  for (;;) {
    const found = all[Number(yield* answer("number", "1")) - 1]
    if (found !== undefined) return found
    yield* notes([notePaint.careful(`a number from 1 to ${all.length}`)])
  }
})

/** One line; an empty one is the value that is offered. */
const answer = Effect.fnUntraced(function*(what: string, offered: string) {
  const line = yield* Keyboard.use((keyboard) => keyboard.line(`${what} [${offered}] `))
  if (line === null) return yield* new Ended({ code: 1 })
  return line.trim() || offered
})

const typedKey = Effect.fnUntraced(function*(kind: ProviderEntries.ProviderKind) {
  const { keyPage, needsKey } = ProviderEntries.KINDS[kind]
  const { notePaint, notes } = yield* Output
  if (keyPage !== null) yield* notes([notePaint.dim(`keys are made at ${keyPage}`)])
  const words = needsKey ? "key (not shown) " : "key (not shown; Enter for none) "
  const line = yield* Keyboard.use((keyboard) => keyboard.secret(words))
  if (line === null) return yield* new Ended({ code: 1 })
  return line.trim() === "" ? null : Redacted.make(line.trim())
})

/** The person's choice after a try: one that worked is saved. */
const attempt = Effect.fnUntraced(function*(name: string, draft: Draft) {
  const { notePaint, notes } = yield* Output
  const { test } = yield* ModelBackend
  const { error, models } = yield* test(name, draft)
  if (error === null) {
    const first = models.slice(0, 3).map(({ id }) => id).join(", ")
    yield* notes([
      `${notePaint.good("works")}  ${counted(models.length, "model")}${first === "" ? "" : `: ${oneLine(first)}`}`
    ])
    return "save" as const
  }
  yield* notes([
    `${notePaint.bad("failed")}  ${oneLine(error.message, 300)}`,
    `        ${notePaint.dim(oneLine(error.hint))}`
  ])
  const next = yield* answer("type the key [a]gain, [s]ave all the same, or [q]uit", "a")
  return next.startsWith("s") ? "save" as const : next.startsWith("q") ? "quit" as const : "again" as const
})
