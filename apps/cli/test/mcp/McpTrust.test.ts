import { type ConfiguredServer, InvalidEntry } from "@boocode/mcp-config"
import type { TrustDetails } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { DECLARED } from "../support/Declared.ts"
import { boocode, EMPTY, json, type Script, status, trustDetails } from "../support/Scripted.ts"

const invalid = new InvalidEntry({
  server: "odd",
  file: ".mcp.json",
  line: 1,
  column: 2,
  key: "command",
  detail: "expected a text",
  hint: "put it in quotes"
})

const entry = (name: string, more: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  name,
  transport: "stdio",
  source: ".mcp.json",
  enabled: true,
  needsApproval: true,
  config: Result.fail(invalid),
  warnings: [],
  declared: { ...DECLARED, command: Redacted.make("run") },
  ...more
})

const PROJECT: Script = {
  configuration: {
    ...EMPTY,
    servers: [
      entry("it"),
      entry("odd", { declared: undefined }),
      entry("files", { needsApproval: false, source: "data/mcp.json" })
    ]
  },
  servers: [status("files"), status("down", { state: "failed" })]
}

const DIFFERENCE: TrustDetails["tools"] = {
  pinnedAt: "2026-11-21T00:00:00.000Z",
  versionBefore: "files 1.0.0",
  versionAfter: "files 1.0.1",
  changed: [{
    tool: "read",
    parts: [{ path: "/description", before: "Reads.", after: "Reads.\nAnd \u001b[31msends." }]
  }],
  added: [{ tool: "send", description: "Sends." }],
  removed: ["list"]
}

const PENDING = { ...trustDetails, server: "it", file: "/repo/.mcp.json", decision: "pending" as const }
const answer = (body: Schema.Json, code = 200) => Effect.sync(() => Response.json(body, { status: code }))
const unknown = { detail: "no server is called it", _tag: "UnknownServer", hint: "there are others", nearest: [] }

/** A running server that has the server `it`, and what it was asked to decide. */
const running = (bodies: Array<Schema.Json> = []): Script => ({
  ...PROJECT,
  running: "http://127.0.0.1:4266",
  answer: (asked, body) => {
    if (asked === "GET /api/mcp/servers/it/trust") return answer(PENDING)
    if (!/^POST \/api\/mcp\/servers\/it\/(approve|reject|revoke)$/.test(asked)) return answer(unknown, 404)
    bodies.push(body)
    return answer(status("it"))
  }
})

describe("mcp reject --dry-run", () => {
  it.effect("shows what it is about, and decides nothing", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "reject", "it", "--dry-run"], PROJECT)
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.include(ended.stdout, "nothing was decided")
      assert.deepStrictEqual(ended.log, [])
    }))
})

describe("boocode mcp approve, reject and revoke", () => {
  it.effect("decide without starting anything where no server runs, and show about what", () =>
    Effect.gen(function*() {
      const approved = yield* boocode(["mcp", "approve", "it"], PROJECT)
      assert.strictEqual(approved.code, 0, approved.stderr)
      assert.match(approved.stdout, /^it {2}approved\n {2}file +\/repo\/\.mcp\.json\n {2}command +run\n$/)
      assert.deepStrictEqual(approved.log, ["forgot it", "approved it"])
      const rejected = yield* boocode(["mcp", "reject", "it", "--json"], PROJECT)
      assert.deepStrictEqual(Object(json(rejected.stdout)).decision, "rejected")
      assert.include(rejected.log, "rejected it")
      const revoked = yield* boocode(["mcp", "revoke", "it"], PROJECT)
      assert.deepStrictEqual(revoked.log, ["forgot it", "revoked it"])
    }))

  it.effect("decide nothing with --dry-run", () =>
    Effect.gen(function*() {
      const shown = yield* boocode(["mcp", "approve", "it", "--dry-run"], PROJECT)
      assert.match(shown.stdout, /^it {2}nothing was decided; it is not approved/)
      assert.deepStrictEqual(shown.log, [])
    }))

  it.effect("say what cannot be decided, and how it can", () =>
    Effect.gen(function*() {
      const failures = [
        [["approve", "nobody"], "UnknownServer"],
        [["approve", "odd"], "InvalidEntry"],
        [["approve", "odd", "--once"], "InvalidEntry"],
        [["reject", "it", "--once"], "NoServer"],
        [["reject", "files"], "ApprovalNotNeeded"],
        [["revoke", "files"], "ApprovalNotNeeded"]
      ] as const
      for (const [args, tag] of failures) {
        const ended = yield* boocode(["mcp", ...args, "--json"], PROJECT)
        assert.deepStrictEqual([ended.code, Object(json(ended.stdout)).error._tag], [1, tag])
        assert.deepStrictEqual(ended.log, [])
      }
    }))

  it.effect("connect to accept the tools of a server that may start, and show what is accepted", () =>
    Effect.gen(function*() {
      const script = { ...PROJECT, trust: { ...trustDetails, tools: DIFFERENCE } }
      const accepted = yield* boocode(["mcp", "approve", "files"], script)
      assert.strictEqual(accepted.code, 0, accepted.stderr)
      assert.deepStrictEqual(accepted.log, ["open", "settled files", "approve files", "close"])
      assert.deepStrictEqual(accepted.stdout.split("\n").slice(3, -1), [
        "  tools since 2026-11-21T00:00:00.000Z, files 1.0.0 → files 1.0.1:",
        "    changed read",
        "      /description",
        "        - Reads.",
        "        + Reads.",
        "        + And sends.",
        "    added   send",
        "        + Sends.",
        "    removed list"
      ])
      const shown = yield* boocode(["mcp", "approve", "files", "--dry-run"], script)
      assert.deepStrictEqual(shown.log, ["open", "settled files", "close"])
    }))

  it.effect("approve with --once lets a server start for this command where no server runs, and keeps nothing", () =>
    Effect.gen(function*() {
      const script = { ...PROJECT, servers: [status("it", { tools: 2 })], trust: PENDING }
      const tried = yield* boocode(["mcp", "approve", "it", "--once"], script)
      assert.strictEqual(tried.code, 0, tried.stderr)
      assert.deepStrictEqual(tried.log, ["open", "approve it once", "settled it", "close"])
      assert.include(
        tried.stderr,
        "it is ready with 2 tools, and stops when this command ends; no approval was kept and no tool accepted"
      )
      const shown = yield* boocode(["mcp", "approve", "it", "--once", "--dry-run"], script)
      assert.deepStrictEqual(shown.log, [])
      const before = yield* boocode(["mcp", "approve", "files", "--once"], PROJECT)
      assert.deepStrictEqual(before.log, ["open", "settled files", "close"])
      assert.include(before.stderr, "files is ready with 1 tool")
    }))

  it.effect("go to the running server that has the server, with what was looked at", () =>
    Effect.gen(function*() {
      const bodies: Array<Schema.Json> = []
      const once = yield* boocode(["mcp", "approve", "it", "--once"], running(bodies))
      assert.strictEqual(once.code, 0, once.stderr)
      assert.deepStrictEqual(bodies, [{ once: true, seen: "ab12" }])
      // A server that is approved for this run stays so when its changed tools are accepted.
      yield* boocode(["mcp", "approve", "it"], running(bodies))
      assert.deepStrictEqual(bodies[1], { seen: "ab12" })
      const revoked = yield* boocode(["mcp", "revoke", "it", "--url", "http://127.0.0.1:4266"], running(bodies))
      assert.strictEqual(revoked.code, 0, revoked.stderr)
      assert.isTrue([...once.log, ...revoked.log].every((line) => line.startsWith("http://127.0.0.1:4266 ")))
    }))

  it.effect("decide here when the running server does not have the server, or with --local", () =>
    Effect.gen(function*() {
      const elsewhere: Script = { ...running(), answer: () => answer(unknown, 404) }
      const here = yield* boocode(["mcp", "approve", "it"], elsewhere)
      assert.strictEqual(here.code, 0, here.stderr)
      assert.include(here.log, "approved it")
      const local = yield* boocode(["mcp", "approve", "it", "--local"], running())
      assert.deepStrictEqual(local.log, ["forgot it", "approved it"])
      const named = yield* boocode(["mcp", "approve", "it", "--url", "http://127.0.0.1:4266"], elsewhere)
      assert.strictEqual(named.code, 1)
      assert.notInclude(named.log, "approved it")
    }))
})
