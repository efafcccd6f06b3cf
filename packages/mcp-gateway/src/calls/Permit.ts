/** Whether a call may be made, and who says so. */
import { ToolClass } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Approval, Gate, GatewayCall, Verdict } from "../model/Gate.ts"
import type { Client } from "../model/GatewayClient.ts"
import type { ClientChannel } from "./ClientChannel.ts"

const ALLOW: Verdict = { _tag: "Allow" }
const ASK: Verdict = { _tag: "Ask" }

/** The verdict of the profile, the entry and the rules: the strictest of them. */
export const verdict = (call: GatewayCall, client: Client, { rules }: Gate): Effect.Effect<Verdict> => {
  const { needsApproval, class: toolClass } = call.tool
  const isAsked = needsApproval || ToolClass.isWriter(toolClass)
  if (rules === undefined) return Effect.succeed(isAsked ? ASK : ALLOW)
  return client.profile.write === "rules" || !isAsked
    ? rules(call, client)
    : Effect.map(rules(call, client), (said) => said._tag === "Deny" ? said : ASK)
}

/**
 * The answer of a person: in the client where it can show a form, else elsewhere. A yes in the client counts for this call, for a client may
 * answer by itself.
 */
export const asked = (
  call: GatewayCall,
  client: Client,
  { approve }: Gate,
  channel: ClientChannel,
  patienceSeconds: number
): Effect.Effect<Approval> => {
  if (channel.can.form) {
    const answer = inClient(call, client, channel)
    // Since revision 2026-07-28 nothing waits while the person thinks.
    return client.era === "modern" ? answer : Effect.timeoutOrElse(answer, {
      duration: patienceSeconds * 1000,
      orElse: () => Effect.succeed<Approval>({ _tag: "Denied", reason: LATE })
    })
  }
  return approve === undefined
    ? Effect.succeed({ _tag: "Denied", reason: "it needs a person's yes, and this client cannot ask for one" })
    : approve(call, client)
}

const inClient = ({ args, tool }: GatewayCall, client: Client, channel: ClientChannel): Effect.Effect<Approval> =>
  channel.ask("elicitation/create", {
    mode: "form",
    message: `May ${client.program.name} call ${tool.tool} of ${tool.server}?\n\n${shown(args)}`,
    requestedSchema: { type: "object", properties: {} }
  }).pipe(
    Effect.match({
      onFailure: ({ message }): Approval => ({ _tag: "Denied", reason: `nobody could be asked: ${message}` }),
      onSuccess: ({ action }): Approval =>
        action === "accept"
          ? { _tag: "Allowed" }
          : { _tag: "Denied", reason: action === "decline" ? "the person who was asked said no" : "nobody answered" }
    })
  )

const LATE = "nobody answered before the client would have given up; call it again to ask again"

/** A person does not read more than that; what is hidden is said. */
const MOST_SHOWN = 4000

const shown = (args: Schema.JsonObject): string => {
  const text = JSON.stringify(args, null, 2)
  return text.length <= MOST_SHOWN
    ? text
    : `${text.slice(0, MOST_SHOWN).toWellFormed()}\n[${text.length - MOST_SHOWN} more characters are not shown]`
}
