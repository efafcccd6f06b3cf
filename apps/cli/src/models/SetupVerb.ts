/** `setup`: a provider of models is asked for, tried and saved. */
import type { Draft } from "@boocode/chat-server/ModelLayer"
import * as ProviderEntries from "@boocode/language-models/ProviderEntry"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Backend } from "../backend/Backend.ts"
import { ModelBackend } from "../backend/ModelBackend.ts"
import { place, tellIfApplied } from "../backend/VerbContext.ts"
import { optional, type Options, switchFlag, textFlag, verb } from "../options/Options.ts"
import { Failed, Usage } from "../terminal/Failure.ts"
import { counted, oneLine, Output } from "../terminal/Output.ts"
import * as SetupQuestions from "./SetupQuestions.ts"

export const setup = Command.make(
  "setup",
  {
    provider: optional(
      textFlag("provider", "NAME", "The name of the provider; its models are NAME/ID. A name that is there is changed")
    ),
    kind: Flag.Literals("kind", ProviderEntries.PROVIDER_KINDS).pipe(
      Flag.withDescription("What it speaks"),
      optional
    ),
    url: optional(textFlag("url", "URL", "Its address, for most up to /v1; by default that of its kind")),
    keyFromEnv: optional(
      textFlag("key-from-env", "VAR", "The variable with its key, in the environment or in .env of the data folder")
    ),
    keyStdin: switchFlag("key-stdin", "Read its key from standard input"),
    isUntested: switchFlag("untested", "Save it without asking it for its models")
  },
  (given) =>
    verb(Effect.fnUntraced(function*(options) {
      const backend = yield* Backend
      yield* Effect.provide(run(options, given), backend.models(yield* place(options)))
    }))
).pipe(
  Command.withDescription("Connect a provider of models: ask for it, try it and save it"),
  Command.withExamples([
    { command: "boocode setup", description: "Asks on a terminal" },
    {
      command: "boocode setup --provider local --kind openai-compatible --url http://127.0.0.1:11434/v1",
      description: "Ollama"
    },
    {
      command: "boocode setup --provider work --kind openai --key-from-env WORK_KEY",
      description: "A key of one's own"
    }
  ])
)

interface Given {
  readonly provider: string | null
  readonly kind: ProviderEntries.ProviderKind | null
  readonly url: string | null
  readonly keyFromEnv: string | null
  readonly keyStdin: boolean
  readonly isUntested: boolean
}

const run = Effect.fnUntraced(function*(options: Options, given: Given) {
  const { inputIsTerminal } = yield* Output
  if (given.keyFromEnv !== null && given.keyStdin) return yield* TWO_KEYS
  if (given.provider !== null) {
    const draft = yield* fromFlags(given)
    if (!given.isUntested) yield* tried(given.provider, draft)
    return yield* saved(options, given.provider, draft)
  }
  const isBare = given.kind === null && given.url === null && given.keyFromEnv === null && !given.keyStdin
  if (!inputIsTerminal || !isBare || options.json) return yield* NO_NAME
  const { draft, isWanted, name } = yield* SetupQuestions.ask
  if (isWanted) yield* saved(options, name, draft)
})

const TWO_KEYS = new Usage({
  message: "--key-from-env and --key-stdin both give a key",
  hint: "give one of them"
})

const NO_NAME = new Usage({
  message: "no provider is named, and there is no terminal to ask on",
  hint: "boocode setup --provider NAME --kind KIND [--url URL] [--key-from-env VAR | --key-stdin]; " +
    `KIND is ${ProviderEntries.PROVIDER_KINDS.join(", ")}`
})

const NO_KIND = (name: string) =>
  new Usage({
    message: `there is no provider called ${oneLine(name)} yet, so it needs a kind`,
    hint: `boocode setup --provider ${oneLine(name)} --kind KIND; KIND is ${ProviderEntries.PROVIDER_KINDS.join(", ")}`
  })

/** The values of the flags; a key that none of them gives stays. */
const fromFlags = Effect.fnUntraced(function*({ keyFromEnv, keyStdin, kind, provider, url }: Given) {
  const { input } = yield* Output
  const { providers } = yield* ModelBackend
  const name = provider ?? ""
  if (kind === null && !(yield* providers).some(({ entry }) => entry.name === name)) return yield* NO_KIND(name)
  const text = keyFromEnv !== null ? `\${${keyFromEnv}}` : keyStdin ? (yield* input).trim() : null
  if (text === "") {
    return yield* new Usage({ message: "standard input holds no key", hint: "pipe it in: boocode setup … < FILE" })
  }
  return {
    ...(kind === null ? {} : { kind }),
    ...(url === null ? {} : { url }),
    ...(text === null ? {} : { key: Redacted.make(text) })
  } satisfies Draft
})

const tried = Effect.fnUntraced(function*(name: string, draft: Draft) {
  const { test } = yield* ModelBackend
  const { error, models } = yield* test(name, draft)
  if (error !== null) {
    return yield* new Failed({
      tag: "ProviderNotReached",
      message: error.message,
      hint: `${error.hint}; boocode setup --provider ${
        oneLine(name)
      } --untested saves it all the same. Nothing was written`
    })
  }
  yield* Output.use(({ notePaint, notes }) => notes([notePaint.dim(`it lists ${counted(models.length, "model")}`)]))
})

const saved = Effect.fnUntraced(function*(options: Options, name: string, draft: Draft) {
  const { document, lines, paint } = yield* Output
  const { save } = yield* ModelBackend
  const { entry, keyFrom, source, variable } = yield* save(name, draft)
  const { kind, missing, url } = entry
  if (options.json) {
    const key = { from: keyFrom, variable }
    yield* document({ name, kind, url, key, source, ready: missing === null, missing })
  } else {
    yield* lines([
      `${paint.good("saved")}  ${name}${missing === null ? "" : `  ${paint.careful(oneLine(missing))}`}`,
      paint.typed(`${paint.dim("next:")}  boocode models ${name}/, then boocode models use ${name}/ID`)
    ])
  }
  yield* tellIfApplied(options, "data")
})
