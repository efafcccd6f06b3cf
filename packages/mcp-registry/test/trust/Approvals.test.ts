import type { ConfiguredServer } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"
import { Admission } from "../../src/trust/Admission.ts"
import { Approvals } from "../../src/trust/Approvals.ts"
import type { ApprovalOptions } from "../../src/trust/ApprovalStanding.ts"
import { inProject, ofOwn } from "../support/DeclaredEntries.ts"

const FILE = "/state/approvals.json"
const ENTRY = { command: "run", args: ["--token", "canary-1234"], env: { TOKEN: "canary-5678" } }

/** One run of a program over this disk. */
const run = <A, E>(
  disk: ReturnType<typeof MemoryDisk.make>,
  body: Effect.Effect<A, E>,
  options: ApprovalOptions = {}
): Effect.Effect<A, E> =>
  Effect.provide(body, Approvals.layerFile(FILE, options).pipe(Layer.provide(disk.layer)), { local: true })

const decide = (entry: ConfiguredServer, decision: "approved" | "rejected", once = false) =>
  Approvals.use((approvals) => approvals.decide(entry, decision, once))
const revoke = (entry: ConfiguredServer) => Approvals.use((approvals) => approvals.revoke(entry))
const standing = (entry: ConfiguredServer) => Approvals.use((approvals) => approvals.standing(entry))
const decision = (entry: ConfiguredServer) => Effect.map(standing(entry), (now) => [now?.decision, now?.by ?? null])
const admit = (entry: ConfiguredServer) => Admission.use((admission) => admission.admit(entry))

describe("Approvals", () => {
  it.effect("approve nothing of a project by themselves, and without a layer nothing at all (R70)", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, ENTRY)
      assert.deepStrictEqual(yield* run(disk, decision(entry)), ["pending", null])
      assert.isTrue((yield* run(disk, admit(entry))).needsApproval)
      assert.isTrue((yield* admit(entry)).needsApproval)
      assert.isTrue(Result.isFailure(yield* Effect.result(decide(entry, "approved"))))
      assert.isFalse(disk.files.has(FILE))
    }))

  it.effect("keep an approval over runs, in a file that only its owner may read and that holds no secret (R75)", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, ENTRY)
      yield* run(disk, decide(entry, "approved"))
      assert.deepStrictEqual(yield* run(disk, decision(entry)), ["approved", "always"])
      assert.isFalse((yield* run(disk, admit(entry))).needsApproval)
      assert.strictEqual(disk.modes.get(FILE), 0o600)
      assert.include(disk.files.get(FILE), "/repo/.mcp.json")
      assert.notInclude(disk.files.get(FILE), "canary")
      // Whole or not at all: a reader never sees a half.
      assert.deepStrictEqual(disk.writes.filter((path) => path === FILE), [FILE])
      assert.deepStrictEqual([...disk.files.keys()].sort(), ["/repo/.mcp.json", FILE])
    }))

  it.effect("keep a rejection likewise, and forget both when they are revoked", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, ENTRY)
      yield* run(disk, decide(entry, "rejected"))
      assert.deepStrictEqual(yield* run(disk, decision(entry)), ["rejected", "always"])
      const admitted = yield* run(disk, admit(entry))
      assert.isTrue(admitted.needsApproval)
      assert.isTrue(admitted.isRejected)
      assert.isEmpty(admitted.warnings)
      yield* run(disk, revoke(entry))
      assert.deepStrictEqual(yield* run(disk, decision(entry)), ["pending", null])
      yield* run(disk, revoke(entry))
    }))

  it.effect("forget what was decided for one run when it ends, and let it weigh more than what was decided for good", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, ENTRY)
      const once = yield* run(disk, Effect.andThen(decide(entry, "approved", true), decision(entry)))
      assert.deepStrictEqual(once, ["approved", "once"])
      assert.isFalse(disk.files.has(FILE))
      assert.deepStrictEqual(yield* run(disk, decision(entry)), ["pending", null])
      yield* run(disk, decide(entry, "approved"))
      const rejected = yield* run(disk, Effect.andThen(decide(entry, "rejected", true), decision(entry)))
      assert.deepStrictEqual(rejected, ["rejected", "once"])
      const again = yield* run(
        disk,
        decide(entry, "rejected", true).pipe(Effect.andThen(decide(entry, "approved")), Effect.andThen(decision(entry)))
      )
      assert.deepStrictEqual(again, ["approved", "always"])
    }))

  it.effect("hold for this entry in this folder alone, and say what changed (R71)", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      yield* run(disk, decide(yield* inProject(disk, ENTRY), "approved"))
      const changed = yield* inProject(disk, { ...ENTRY, command: "evil", env: { TOKEN: "canary-9012" } })
      const now = yield* run(disk, standing(changed))
      assert.strictEqual(now?.decision, "pending")
      assert.deepStrictEqual(now?.changes, [
        { key: "command", before: "run", after: "evil" },
        { key: "env.TOKEN", before: "<redacted>", after: "<redacted>" }
      ])
      const { needsApproval, warnings } = yield* run(disk, admit(changed))
      assert.isTrue(needsApproval)
      assert.include(warnings, "it is not the entry that was decided on: command, env.TOKEN changed")
      for (const other of [yield* inProject(disk, ENTRY, "/repo2"), yield* inProject(disk, ENTRY, "/repo", "other")]) {
        assert.deepStrictEqual(yield* run(disk, decision(other)), ["pending", null])
      }
      assert.deepStrictEqual(yield* run(disk, decision(yield* inProject(disk, ENTRY))), ["approved", "always"])
    }))

  for (
    const [what, text] of [
      ["is no JSON", "{ broken"],
      ["is empty", ""],
      ["is of another version", JSON.stringify({ version: 2, decisions: [] })],
      ["is of another shape", JSON.stringify({ version: 1, decisions: [{ server: "it" }] })]
    ] as const
  ) {
    it.effect(`count for nothing when the file ${what}, and say so (R70, R72)`, () =>
      Effect.gen(function*() {
        const disk = MemoryDisk.make()
        const entry = yield* inProject(disk, { url: "https://mcp.example.com/mcp" })
        yield* run(disk, decide(entry, "approved"))
        disk.files.set(FILE, text)
        const body = Effect.all([decision(entry), admit(entry)])
        const [now, { needsApproval, warnings }] = yield* run(disk, body, {
          trustedPublishers: ["https://mcp.example.com"]
        })
        assert.deepStrictEqual(now, ["pending", null])
        assert.isTrue(needsApproval)
        assert.match(warnings.join(), /nothing counts as approved: \/state\/approvals\.json is damaged/)
        // A new decision puts the file aside instead of losing it.
        yield* run(disk, decide(entry, "approved"))
        assert.strictEqual(disk.files.get(`${FILE}.unusable`), text)
        assert.deepStrictEqual(yield* run(disk, decision(entry)), ["approved", "always"])
      }))
  }

  it.effect("count for nothing when the file may not be read, and are not kept when it may not be written", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, ENTRY)
      yield* run(disk, decide(entry, "approved"))
      disk.state.forbidden.add(FILE)
      assert.match((yield* run(disk, standing(entry)))?.problem ?? "", /cannot be read/)
      disk.state.forbidden.delete(FILE)
      disk.state.isReadOnly = true
      const other = yield* inProject(disk, ENTRY, "/repo2")
      const failure = yield* Effect.flip(run(disk, decide(other, "approved")))
      assert.strictEqual(failure._tag, "DecisionNotKept")
      assert.match(failure.message, /approvals\.json cannot be written/)
      assert.deepStrictEqual(yield* run(disk, decision(other)), ["pending", null])
      const once = yield* run(disk, Effect.andThen(decide(other, "approved", true), decision(other)))
      assert.deepStrictEqual(once, ["approved", "once"])
    }))

  it.effect("count for nothing when the file does not answer within 10 seconds", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, ENTRY)
      yield* run(disk, decide(entry, "approved"))
      disk.state.stuck.add(FILE)
      const asked = yield* Effect.forkChild(run(disk, standing(entry)))
      yield* TestClock.adjust("10 seconds")
      const now = yield* Fiber.join(asked)
      assert.strictEqual(now?.decision, "pending")
      assert.match(now?.problem ?? "", /could not be read within 10 seconds/)
    }))

  it.effect("lose no decision when two programs decide at the same time", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entries = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `/repo${index}`),
        (folder) => inProject(disk, ENTRY, folder)
      )
      const all = Effect.forEach(entries, (entry) => run(disk, decide(entry, "approved")), { concurrency: "unbounded" })
      const fiber = yield* Effect.forkChild(all)
      yield* TestClock.adjust("14 seconds")
      yield* Fiber.join(fiber)
      for (const entry of entries) assert.deepStrictEqual(yield* run(disk, decision(entry)), ["approved", "always"])
    }))

  it.effect("of two servers of one folder are two", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const one = yield* inProject(disk, ENTRY, "/repo", "one")
      const two = yield* inProject(disk, ENTRY, "/repo", "two")
      yield* run(disk, decide(one, "approved"))
      yield* run(disk, decide(two, "rejected"))
      yield* run(disk, revoke(two))
      assert.deepStrictEqual(yield* run(disk, decision(one)), ["approved", "always"])
      assert.deepStrictEqual(yield* run(disk, decision(two)), ["pending", null])
    }))

  it.effect("need nothing for one's own entries", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* ofOwn(disk, ENTRY)
      assert.deepStrictEqual(yield* run(disk, decision(entry)), ["not-needed", null])
      yield* run(disk, decide(entry, "rejected"))
      assert.isFalse((yield* run(disk, admit(entry))).needsApproval)
      assert.isFalse(disk.files.has(FILE))
    }))

  it.effect("tell what is wrong with a broken entry instead of asking for its approval", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, { command: 7 })
      const admitted = yield* run(disk, admit(entry))
      assert.isTrue(Result.isFailure(admitted.config))
      assert.isFalse(admitted.needsApproval)
      assert.isNull(yield* run(disk, standing(entry)))
    }))
})

describe("Trusted publishers", () => {
  const trusts = (entry: object, trustedPublishers: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const [now, by] = yield* run(disk, Effect.flatMap(inProject(disk, entry), decision), { trustedPublishers })
      return now === "approved" && by === "publisher"
    })
  const TRUSTED = ["https://mcp.example.com"]

  it.effect("are none as shipped, and match one https origin whole", () =>
    Effect.gen(function*() {
      const entry = { url: "https://mcp.example.com/v1/mcp", headers: { "X-Mode": "plain" } }
      assert.isFalse(yield* trusts(entry, []))
      assert.isTrue(yield* trusts(entry, TRUSTED))
      assert.isTrue(yield* trusts({ url: "https://mcp.example.com:8443/x" }, ["https://mcp.example.com:8443"]))
    }))

  for (
    const url of [
      "http://mcp.example.com/mcp",
      "https://mcp.example.com:8443/mcp",
      "https://mcp.example.com.evil.example/mcp",
      "https://evil.example/https://mcp.example.com",
      "https://mcp.example.com@evil.example/mcp",
      "https://me@mcp.example.com/mcp",
      "https://sub.mcp.example.com/mcp",
      "https://xmcp.example.com/mcp",
      "https://${HOST_SECRET:-mcp.example.com}/mcp",
      "https://mcp.example.com/${HOST_SECRET}"
    ]
  ) {
    it.effect(`do not vouch for ${url}`, () =>
      Effect.gen(function*() {
        assert.isFalse(yield* trusts({ url }, TRUSTED))
      }))
  }

  it.effect("vouch neither for what a file makes of the host's variables, nor for a helper, nor for a program", () =>
    Effect.gen(function*() {
      const url = "https://mcp.example.com/mcp"
      assert.isFalse(yield* trusts({ url, headers: { "X-Key": "${HOST_SECRET}" } }, TRUSTED))
      assert.isFalse(yield* trusts({ url, headersHelper: "./helper.sh" }, TRUSTED))
      assert.isFalse(yield* trusts({ command: "npx", args: ["-y", "https://mcp.example.com"] }, TRUSTED))
      assert.isFalse(yield* trusts({ url }, ["mcp.example.com", "https://", "*", "https://mcp.example.com/"]))
    }))

  it.effect("weigh less than a rejection", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      const entry = yield* inProject(disk, { url: "https://mcp.example.com/mcp" })
      const body = Effect.andThen(decide(entry, "rejected"), decision(entry))
      assert.deepStrictEqual(yield* run(disk, body, { trustedPublishers: TRUSTED }), ["rejected", "always"])
    }))

  it.effect("weigh less than a rejection of the same server, whatever its file says since then", () =>
    Effect.gen(function*() {
      const disk = MemoryDisk.make()
      yield* run(disk, decide(yield* inProject(disk, { url: "https://mcp.example.com/mcp" }), "rejected"))
      const changed = yield* inProject(disk, { url: "https://mcp.example.com/mcp", headers: { A: "b" } })
      const now = yield* run(disk, decision(changed), { trustedPublishers: TRUSTED })
      assert.deepStrictEqual(now, ["pending", null])
    }))
})
