/** The prompts that a client is offered, under names that tell their servers apart. */
import { type McpPrompt, McpRegistry, ToolName } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Profile } from "../model/Profile.ts"
import * as ProfileServers from "./ProfileServers.ts"

export interface OfferedPrompt {
  readonly name: string
  readonly prompt: McpPrompt
}

/** Those of the servers that the profile allows, as far as they can be had at once. */
export const of = Effect.fnUntraced(function*(profile: Profile) {
  const registry = yield* McpRegistry
  const allowed = yield* ProfileServers.of(profile)
  const prompts = (yield* Effect.orDie(registry.prompts())).prompts.filter(({ server }) => allowed.names.has(server))
  const counts = Map.groupBy(prompts, ({ name }) => name)
  const assigned = new Map(
    [...Map.groupBy(prompts, ({ server }) => server)].map(([server, some]) => [
      server,
      ToolName.assign(server, some.map(({ name }) => name), allowed.all)
    ])
  )
  return prompts.map((prompt): OfferedPrompt => {
    const isBare = profile.names === "bare" && counts.get(prompt.name)?.length === 1
    return { prompt, name: isBare ? prompt.name : assigned.get(prompt.server)?.get(prompt.name) ?? prompt.name }
  })
})

/** On the wire. */
export const encode = ({ name, prompt }: OfferedPrompt): Schema.JsonObject => ({
  name,
  ...present("title", prompt.title),
  ...present("description", prompt.description),
  arguments: prompt.arguments.map((argument) => ({
    name: argument.name,
    ...present("title", argument.title),
    ...present("description", argument.description),
    required: argument.required
  })),
  ...prompt.passed
})

const present = (key: string, value: string | null) => value === null ? {} : { [key]: value }
