/** The secret that seals what is kept here, when a person gave one. */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** In the environment or in `.env`; the same for all nodes of a fleet. */
export const NAME = "BOOCODE_SECRET"

/** Null where none is given, or a blank one. */
export const given = Effect.map(Environment, ({ variables }) => {
  const text = (variables[NAME] ?? "").trim()
  return text === "" ? null : Redacted.make(text, { label: NAME })
})
