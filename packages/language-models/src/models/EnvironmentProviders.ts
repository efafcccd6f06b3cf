/** The providers that the environment gives: their keys and addresses are variables. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { addressTrouble, isHeaderValue, type ProviderEntry } from "./ProviderEntry.ts"

/** A provider of the environment. */
export interface EnvironmentProvider extends ProviderEntry {
  /** The variable that its key is in; null without a key. */
  readonly variable: string | null
}

/**
 * The three providers anthropic, google and openai, from these variables: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL,
 * GOOGLE_GENERATIVE_AI_API_KEY (or GEMINI_API_KEY, GOOGLE_API_KEY), OPENAI_API_KEY, OPENAI_BASE_URL. An empty one
 * counts as unset. With a base URL no key is needed. A base URL that holds a user or a password, and a key that no
 * header can carry, are refused: they would be shown by every error. Fails only when the variables cannot be read.
 */
export const environmentProviders: Effect.Effect<ReadonlyArray<EnvironmentProvider>, Config.ConfigError> = Effect.gen(
  function*() {
    return [
      yield* provider("anthropic", ["ANTHROPIC_API_KEY"], "ANTHROPIC_BASE_URL"),
      yield* provider("google", ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"]),
      yield* provider("openai", ["OPENAI_API_KEY"], "OPENAI_BASE_URL")
    ]
  }
)

const provider = Effect.fnUntraced(function*(
  name: "anthropic" | "google" | "openai",
  keyVariables: ReadonlyArray<string>,
  urlVariable?: string
) {
  const keys = yield* Effect.forEach(keyVariables, (name) => Effect.map(variable(name), (key) => ({ name, key })))
  const url = urlVariable === undefined ? null : yield* variable(urlVariable)
  const { key, name: found } = keys.find(({ key }) => key !== null) ?? { key: null, name: null }
  const urlTrouble = url === null ? null : addressTrouble(url)
  const missing = urlTrouble !== null
    ? `${urlVariable} ${urlTrouble}`
    : key !== null && !isHeaderValue(key)
    ? `${found} holds a character that no key has, such as a line break`
    : key === null && url === null
    ? `set ${keyVariables[0]}`
    : null
  return {
    name,
    kind: name,
    url,
    key: key === null ? null : Redacted.make(key),
    publicOnly: false,
    missing,
    variable: found
  } satisfies EnvironmentProvider
})

const variable = (name: string): Effect.Effect<string | null, Config.ConfigError> =>
  Effect.map(Config.option(Config.Redacted(name)), (value) => {
    const text = Option.match(value, { onNone: () => "", onSome: Redacted.value }).trim()
    return text === "" ? null : text
  })
