/** Decides about the calls of MCP clients: by the rules of permissions, and by a person at the page. */
import { Audit, CurrentUser, FIRST, OutsideVerdict, OwnWrites, Questions, WriteJournal } from "@boocode/chat"
import type { Client, Decision, Gate, GatewayCall, MadeCall, Verdict } from "@boocode/mcp-gateway"
import { PermissionTable } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import { RequestedBy } from "../access/Requester.ts"
import { Settings } from "../settings/Settings.ts"

/** The name by which people know a client. */
const nameOf = ({ caller, program }: Pick<Client, "caller" | "program">): string => caller.label ?? program.name

/** For the person whose client sent the request. */
const ofOwner = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, CurrentUser>> =>
  Effect.flatMap(RequestedBy, (found) => Effect.provideService(effect, CurrentUser, found?.user ?? FIRST))

const ALLOW: Effect.Effect<Verdict> = Effect.succeed({ _tag: "Allow" })
const ASK: Effect.Effect<Verdict> = Effect.succeed({ _tag: "Ask" })

/** The yes behind a call; one that the rules let be made had none. */
const permissionOf = (by: MadeCall["by"], client: Client) =>
  by === "person"
    ? WriteJournal.PERSON
    : by === "client"
    ? { by: "person" as const, source: `a yes in ${nameOf(client)}` }
    : Audit.DEFAULT

/** `address` is the page on which a person decides. */
export const make = Effect.fnUntraced(function*(address: string) {
  const judged = yield* OutsideVerdict.make
  const { approvals } = yield* Settings
  const questions = yield* Questions
  const { note } = yield* OwnWrites
  const audit = yield* Audit.Audit

  const verdictOf = ({ args, tool }: GatewayCall, client: Client) =>
    judged({ ...tool, listed: tool }, Effect.succeed(args), {
      ask: approvals.ask,
      // A profile that asks asks for each call, so that a person can let one be made where no tool may write.
      isOffAsked: client.profile.write !== "rules"
    })
  const rules = (call: GatewayCall, client: Client): Effect.Effect<Verdict> =>
    Effect.flatMap(verdictOf(call, client), (verdict) => {
      if (verdict === null || verdict.outcome === "allow") return ALLOW
      if (verdict.outcome === "ask") return ASK
      const { source, why } = verdict
      return Effect.as(
        audited(call, client, { outcome: "refused", permission: { by: "rule", source } }),
        { _tag: "Deny" as const, reason: `${why}. Do not retry` }
      )
    })
  const audited = (
    { tool }: GatewayCall,
    client: Client,
    call: Pick<Audit.AuditedCall, "outcome" | "permission">
  ): Effect.Effect<void> =>
    audit === null
      ? Effect.void
      : Effect.flatMap(RequestedBy, (found) =>
        audit.note({
          owner: (found?.user ?? FIRST).id,
          tool: tool.name,
          server: tool.server,
          class: tool.class,
          origin: "client",
          place: nameOf(client),
          millis: 0,
          ...call
        }))
  const approve: NonNullable<Gate["approve"]> = Effect.fnUntraced(function*(call, client) {
    const verdict = yield* verdictOf(call, client)
    const { args, tool } = call
    const wanted = {
      program: nameOf(client),
      name: tool.name,
      tool: tool.tool,
      args,
      class: tool.class,
      why: verdict?.outcome === "ask" ? verdict.why : `the profile ${client.profileName} asks about calls that write`
    }
    const refused = audited(call, client, { outcome: "refused", permission: { by: "person", source: "" } })
    const decided = Effect.gen(function*(): Effect.fn.Return<Decision> {
      const { action, reason } = yield* ofOwner(questions.mayCall(wanted, tool))
      if (action === "accept") return { _tag: "Allowed" }
      yield* refused
      return { _tag: "Denied", reason: reason ?? "the person who was asked said no" }
    })
    return { _tag: "Waiting" as const, url: address, decided }
  })
  const written = Effect.fnUntraced(function*({ by, call, exit }: MadeCall, client: Client) {
    const permission = by === "rules"
      ? { by: "rule" as const, source: (yield* verdictOf(call, client))?.source ?? "" }
      : permissionOf(by, client)
    yield* audited(call, client, { outcome: WriteJournal.outcomeOf(exit), permission })
    yield* ofOwner(note({ tool: call.tool, args: call.args, permission, exit, client: nameOf(client) }))
  })
  const made = (call: MadeCall, client: Client) =>
    PermissionTable.isWriter(call.call.tool.class)
      ? written(call, client)
      : audited(call.call, client, {
        outcome: WriteJournal.outcomeOf(call.exit),
        permission: permissionOf(call.by, client)
      })
  return { rules, approve, made } satisfies Gate
})
