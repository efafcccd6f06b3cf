import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, status, trustDetails } from "../support/Scripted.ts"

const WAITS = status("shop", { state: "needs-approval", isTrusted: false, source: "/repo/.mcp.json" })
const script = {
  servers: [WAITS, status("files")],
  trust: {
    ...trustDetails,
    server: "shop",
    file: "/repo/.mcp.json",
    decision: "pending" as const,
    entry: [{ key: "command", value: "npx" }, { key: "args", value: "-y shop-server" }]
  },
  isTerminal: true,
  variables: { NO_COLOR: "1", BOOCODE_MODEL: "openai/some-model" }
}

const decisions = (log: ReadonlyArray<string>) => log.filter((line) => /^(approve|reject)/.test(line))

describe("a server of a project that waits for approval", () => {
  it.effect("is asked about at a terminal, in mcp list and at the start of a conversation", () =>
    Effect.gen(function*() {
      const cases = [["1", ["approve shop once"]], ["2", ["approve shop"]], ["n", []], ["v", ["reject shop"]]] as const
      for (const args of [["mcp", "list"], ["chat", "-i"]]) {
        for (const [typed, expected] of cases) {
          const ended = yield* boocode(args, { ...script, typed: [typed] })
          assert.strictEqual(ended.code, 0, ended.stderr)
          assert.deepStrictEqual(decisions(ended.log), [...expected], args.join(" "))
          assert.include(ended.stderr, "? shop of /repo/.mcp.json wants to start\n  npx -y shop-server\n")
        }
      }
    }))

  it.effect("is shown with its whole entry for d, and asked about again", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "list"], { ...script, typed: ["perhaps", "d", "always"] })
      assert.match(ended.stderr, /file +\/repo\/\.mcp\.json\n +command +npx\n +args +-y shop-server/)
      assert.deepStrictEqual(decisions(ended.log), ["approve shop"])
    }))

  it.effect("is decided about at the running server, as it was seen there", () =>
    Effect.gen(function*() {
      const sent = new Array<unknown>()
      const ended = yield* boocode(["mcp", "list"], {
        ...script,
        running: "http://127.0.0.1:4266",
        typed: ["once"],
        answer: (asked, body) =>
          Effect.sync(() => {
            if (asked.startsWith("POST")) sent.push([asked, body])
            if (asked.endsWith("/trust")) return Response.json(script.trust)
            return Response.json(
              asked === "GET /api/mcp/servers" ? { servers: [WAITS], problems: [], write: "off" } : WAITS
            )
          })
      })
      assert.deepStrictEqual(sent, [["POST /api/mcp/servers/shop/approve", { seen: "ab12", once: true }]], ended.stderr)
    }))

  it.effect("is only named where nobody is asked: with --json, and without a terminal", () =>
    Effect.gen(function*() {
      const json = yield* boocode(["mcp", "list", "--json"], { ...script, typed: ["2"] })
      const piped = yield* boocode(["mcp", "list"], { ...script, stdin: "2\n" })
      for (const ended of [json, piped]) {
        assert.deepStrictEqual(decisions(ended.log), [])
        assert.match(ended.stdout, /needs-approval| approve/)
      }
      const rejected = status("shop", { ...WAITS, error: { ...NO_ERROR, _tag: "Rejected" } })
      const asked = yield* boocode(["mcp", "list"], { ...script, servers: [rejected], typed: ["2"] })
      assert.deepStrictEqual(decisions(asked.log), [])
    }))
})

const NO_ERROR = {
  message: "a person rejected it",
  hint: "boocode mcp approve shop",
  exitCode: null,
  signal: null,
  stderr: null,
  code: null,
  method: null,
  limitMillis: null
}
