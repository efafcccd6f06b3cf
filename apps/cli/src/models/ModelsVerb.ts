/** `models`: the providers of models, and what each of them offers; `models use` chooses one. */
import type { Models } from "@boocode/chat-server/Documents"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Backend } from "../backend/Backend.ts"
import { ModelBackend } from "../backend/ModelBackend.ts"
import { plainly, Remote } from "../backend/Remote.ts"
import { atServer, place, runningServer, tellIfApplied } from "../backend/VerbContext.ts"
import { optionalArgument, type Options, switchFlag, type Target, url, verb } from "../options/Options.ts"
import { counted, oneLine, Output, pad, type Paint } from "../terminal/Output.ts"

type List = typeof Models.Type

const use = Command.make(
  "use",
  { id: Argument.String("PROVIDER/ID").pipe(Argument.withDescription("The model, as boocode models shows it")) },
  ({ id }) =>
    verb(Effect.fnUntraced(function*(options) {
      const backend = yield* Backend
      yield* Effect.provide(used(options, id.trim()), backend.models(yield* place(options)))
    }))
).pipe(
  Command.withDescription("Have chats that name no model use this one"),
  Command.withExamples([{ command: "boocode models use openai/gpt-5", description: "Written into settings.json" }])
)

const used = Effect.fnUntraced(function*(options: Options, id: string) {
  const { document, lines, notePaint, notes, paint } = yield* Output
  const { use } = yield* ModelBackend
  const now = yield* use(id)
  yield* options.json ? document({ model: id, default: now }) : lines([`${paint.good("saved")}  ${oneLine(id)}`])
  if (now !== id) {
    const words = now === null ? "the command mode" : oneLine(now)
    yield* notes([notePaint.careful(`BOOCODE_MODEL goes before it, so they use ${words} as long as that is set`)])
  }
  yield* tellIfApplied(options, "data")
})

export const models = Command.make(
  "models",
  {
    query: optionalArgument(
      Argument.String("QUERY").pipe(Argument.withDescription("Only models whose id has all these words"))
    ),
    url,
    isLocal: switchFlag("local", "Look at the files of this machine, even if a server is running")
  },
  ({ query, ...target }) =>
    verb(Effect.fnUntraced(function*(options) {
      const { document, lines, paint } = yield* Output
      const list = matching(yield* listed(options, target), query)
      yield* options.json ? document(list) : lines(listLines(list, query, paint))
    }))
).pipe(
  Command.withDescription("Show the providers of models, and what models they offer"),
  Command.withExamples([{
    command: "boocode models \"gpt mini\"",
    description: "Models with both words in their ids"
  }]),
  Command.withSubcommands([use])
)

const listed = Effect.fnUntraced(function*(options: Options, target: Target) {
  const server = yield* runningServer(options, target)
  if (server !== null) {
    return yield* atServer(server)(
      Effect.mapError(Remote.use(({ api, quick }) => quick(api.agents.models())), plainly)
    )
  }
  const backend = yield* Backend
  return yield* Effect.provide(ModelBackend.use(({ list }) => list), backend.models(yield* place(options)))
})

/** With a query only the providers that have such a model. */
const matching = (list: List, query: string | null): List => {
  if (query === null) return list
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "")
  const fits = (id: string) => words.every((word) => id.toLowerCase().includes(word))
  const found = list.models.map((one) => ({ ...one, suggested: one.suggested.filter(({ id }) => fits(id)) }))
  return { ...list, models: found.filter(({ suggested }) => suggested.length > 0) }
}

/** Providers with many models are shown with their first ones, unless these were asked for. */
const SHOWN = 15

const listLines = (list: List, query: string | null, paint: Paint): ReadonlyArray<string> => {
  if (list.models.length === 0) return ["nothing was found"]
  const shown = list.models.map((one) => ({
    ...one,
    suggested: query === null ? one.suggested.slice(0, SHOWN) : one.suggested,
    more: query === null ? one.suggested.length - SHOWN : 0
  }))
  const width = Math.max(...shown.flatMap(({ suggested }) => suggested.map(({ id }) => Math.min(id.length, WIDEST))), 0)
  return shown.flatMap(({ missing, more, provider, ready, suggested }) => [
    headLine(provider, ready ? suggested.length === 0 ? LISTS_NONE : null : missing, paint),
    ...suggested.map((model) => modelLine(model, width, list.default, paint)),
    ...(more > 0 ? [paint.dim(`  … ${counted(more, "more model")}; boocode models ${provider}/ shows all`)] : [])
  ])
}

const LISTS_NONE = "lists no models now"

const headLine = (provider: string, trouble: string | null, paint: Paint): string =>
  trouble === null ? paint.bold(provider) : `${paint.bold(provider)}  ${paint.careful(oneLine(trouble))}`

/** A line has 80 columns with it. */
const WIDEST = 44

const modelLine = (
  { contextTokens, id, inputPrice, outputPrice, seesImages }: List["models"][number]["suggested"][number],
  width: number,
  standard: string | null,
  paint: Paint
): string => {
  const price = inputPrice === null || outputPrice === null ? "" : `$${inputPrice}/$${outputPrice}`
  const marks = [...(seesImages === false ? ["no pictures"] : []), ...(id === standard ? ["default"] : [])].join(", ")
  return `  ${pad(oneLine(id), width)}  ${pad(tokens(contextTokens), 5)} ${pad(price, 12)} ${paint.dim(marks)}`
    .trimEnd()
}

const tokens = (count: number | null): string => {
  if (count === null) return ""
  return count >= 1_000_000 ? `${Math.round(count / 100_000) / 10}M` : `${Math.round(count / 1000)}k`
}
