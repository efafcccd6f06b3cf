/** The instructions that a client reads about the use of all servers. */
import type { McpRegistry } from "@boocode/mcp-registry"
import { Utf8 } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import type { Profile } from "../model/Profile.ts"
import * as ProfileServers from "./ProfileServers.ts"

/** A client may cut what is longer. */
const MOST_BYTES = 2048

/** The instructions of each server under its name, at most 2 KB of each. Empty where no server gives any. Answers at once. */
export const of = Effect.fnUntraced(function*(profile: Profile): Effect.fn.Return<string, never, McpRegistry> {
  const { statuses } = yield* ProfileServers.of(profile)
  return statuses.flatMap(({ instructions, name }) =>
    instructions === null || instructions.trim() === "" ? [] : [section(name, instructions.trim())]
  ).join("\n\n")
})

const section = (server: string, text: string): string => {
  const heading = `## ${server}\n\n`
  const shown = Utf8.prefix(text, MOST_BYTES - heading.length - CUT.length)
  return `${heading}${shown}${shown.length < text.length ? CUT : ""}`
}

const CUT = "\n[cut]"
