/** The official suite's scenarios for servers, against a gateway in front of a server that offers what they ask for. */
import { Profile } from "@boocode/mcp-gateway"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Suite from "./conformance/Suite.ts"
import { program } from "./support/FixtureServer.ts"
import * as GatewayHost from "./support/GatewayHost.ts"
import { sized } from "./support/Size.ts"

const LIMIT = 120_000

/** Scenarios that no revision scores and that the gateway does not pass, or that check nothing of it, and why. */
const OPEN: ReadonlyMap<string, string> = new Map([
  ["server-sse-polling", "it only recommends streams that are taken up again, which the gateway does not offer"],
  ["http-custom-header-server-validation", "no tool of the server behind the gateway asks for headers"],
  ...[
    "capability-negotiation",
    "dispatch-and-envelope",
    "lifecycle",
    "mrtr-composition",
    "mrtr-input",
    "request-headers",
    "request-state-removal",
    "required-task-error",
    "status-notifications",
    "wire-fields"
  ].map((name) => [`tasks-${name}`, "tasks (an extension) are not offered"] as const)
])

/** Before 2026-07-28 questions have no names that could be passed on. */
const OPEN_BEHIND_LEGACY = ["input-required-result-basic-elicitation"]

const profile = { ...Profile.standard, names: "bare", exposure: "flat" } as const

/** Before 2026-07-28 a server does not say about which call it asks, so each client has one of its own. */
const behind = [
  ["auto", { roots: true }],
  ["legacy", { roots: true, protocol: "legacy", session: "client" }]
] as const

describe("Conformance of the gateway", () => {
  for (const [era, entry] of behind.slice(0, sized(1, 2))) {
    it.live(
      `every scored scenario for servers that can pass in front of a server of protocol "${era}" does, in both revisions`,
      () =>
        Effect.gen(function*() {
          const { url } = yield* GatewayHost.serve({ profile })
          for (const [revision, scored] of [["2025-11-25", 30], ["2026-07-28", 37]] as const) {
            const verdicts = yield* Suite.runServer(revision, url)
            const lost = era === "legacy" && revision === "2026-07-28" ? OPEN_BEHIND_LEGACY : []
            const failed = verdicts.filter(({ isPassed, scenario }) => !isPassed && !OPEN.has(scenario))
            assert.deepStrictEqual(failed.filter(({ scenario }) => !lost.includes(scenario)), [])
            assert.lengthOf(verdicts.filter(({ isPassed, isScored }) => isPassed && isScored), scored - lost.length)
          }
        }).pipe(Effect.provide(GatewayHost.registry({ it: { ...program("Conforming"), ...entry } }))),
      LIMIT
    )
  }
})
