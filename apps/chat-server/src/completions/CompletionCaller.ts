/** The sender of a request to `/v1`, and whether the agent's work for it may write. */
import type { BegunChat } from "@boocode/chat"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as ClientCaller from "../clients/ClientCaller.ts"
import { ClientProfiles } from "../clients/ClientProfiles.ts"

/** An agent has its own tools, and would give the client some that its profile keeps from it. */
export class ToolsNarrowed extends Data.TaggedError("ToolsNarrowed")<{
  readonly client: string
  readonly profile: string
}> {
  override get message(): string {
    return `the profile ${this.profile} of ${this.client} has some tools alone, and agents have tools of their own`
  }
  readonly hint: string = "use a client whose profile has \"tools\": [\"*\"], or the server's token"
}

/** The person that a request acts for, and the write mode of its chat: that of the client's profile; null where the API lets it in. */
export const make = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const { client, user } = yield* ClientCaller.known(request, "chat")
  if (client === null) return { user, write: null }
  const { tools, write } = yield* (yield* ClientProfiles).get(client.profile)
  if (tools.length !== 1 || tools[0] !== "*") {
    return yield* new ToolsNarrowed({ client: client.name, profile: client.profile })
  }
  // A profile with rules is a chat that has no mode of its own.
  const mode: BegunChat["write"] = write === "rules" ? null : { mode: write, until: null }
  return { user, write: mode }
})
