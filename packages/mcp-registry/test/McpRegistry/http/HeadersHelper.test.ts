import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as HeaderText from "../../../../mcp-client/src/base/HeaderText.ts"
import { type McpRegistry, ProcessTree, Programs } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedProgram from "../../support/ScriptedProgram.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

interface Printed {
  readonly stdout?: string
  readonly stderr?: string
  /** Standard output comes when standard error and the end were seen. */
  readonly isLate?: boolean
  /** Null stays until it is signalled. */
  readonly exitCode?: number | null
}

interface Spawn {
  readonly line: string
  readonly cwd: string | undefined
  readonly isLine: boolean
  readonly variables: Readonly<Record<string, string>>
}

/** A host on which a command prints what it is told to, and everything that happened there. */
const helper = (print: (run: number) => Printed) => {
  const spawns: Array<Spawn> = []
  const signals: Array<string> = []
  let alive = 0
  const programs = new Map<number, ScriptedProgram.Scripted>()
  const start: Programs["Service"]["start"] = ({ cwd, env, file, isLine }) =>
    Effect.gen(function*() {
      const plain = Object.entries(env).map((
        [name, value]
      ) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
      const pid = spawns.push({ line: file, cwd, isLine, variables: Object.fromEntries(plain) })
      const { exitCode = 0, isLate = false, stderr = "", stdout = "" } = print(pid)
      const scripted = ScriptedProgram.make(pid, { received: () => {}, ended: () => {} })
      programs.set(pid, scripted)
      scripted.write("errors", stderr)
      const finish = Effect.sync(() => {
        scripted.write("output", stdout)
        scripted.closeOutputs()
      })
      if (isLate) yield* Effect.forkScoped(Effect.delay(finish, "100 millis"))
      else yield* finish
      if (exitCode === null) alive++
      else scripted.exit({ exitCode, signal: null })
      return scripted.program
    })
  const tree = ProcessTree.of({
    mark: Effect.succeed("mark"),
    watch: () => Effect.void,
    note: () => Effect.void,
    alive: () => Effect.sync(() => alive),
    signal: ({ pid }, signal) =>
      Effect.sync(() => {
        signals.push(signal)
        alive--
        programs.get(pid)?.exit({ exitCode: null, signal })
      })
  })
  const layer = Layer.merge(
    Layer.succeed(Programs, { start }),
    Layer.succeed(ProcessTree, tree)
  )
  return { spawns, signals, layer, alive: () => alive }
}

const entry = {
  protocol: "legacy",
  headersHelper: "give-token",
  headers: { authorization: "Bearer old", "x-kept": "yes" }
}

const within = <A>(
  web: ScriptedWeb.Server,
  layer: ReturnType<typeof helper>["layer"],
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, unknown>,
  more: Readonly<Record<string, unknown>> = {}
) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(ScriptedWeb.withRegistry(web.fetch, { ...entry, ...more }, body, layer))
    yield* ScriptedHost.advance(20)
    return yield* Fiber.join(fiber)
  })

const token = (value: string): Printed => ({ stdout: JSON.stringify({ Authorization: `Bearer ${value}` }) })
const refused = () => new Response("who are you", { status: 401 })
const authorization = ({ headers }: ScriptedWeb.Seen) => headers.get("authorization")

describe("HeadersHelper", () => {
  it.effect("adds what the command prints to every request, before the headers of the entry", () =>
    Effect.gen(function*() {
      const { layer, spawns } = helper(() => token("first-token"))
      const web = yield* ScriptedWeb.server()
      const status = yield* within(
        web,
        layer,
        (registry) => Effect.andThen(registry.call("web_find", {}), registry.server("web"))
      )
      assert.deepStrictEqual(status.warnings, [])
      assert.strictEqual(status.steps[1]?.step, "headersHelper")
      assert.isAbove(web.of("GET").length, 0)
      assert.strictEqual(web.of("DELETE").length, 1)
      for (const seen of web.seen) {
        assert.strictEqual(authorization(seen), "Bearer first-token")
        assert.strictEqual(seen.headers.get("x-kept"), "yes")
      }
      assert.lengthOf(spawns, 1)
      const [spawn] = spawns
      assert.deepStrictEqual([spawn?.line, spawn?.isLine, spawn?.cwd?.startsWith("/")], ["give-token", true, true])
      assert.include(spawn?.variables, {
        BOOCODE_MCP_SERVER_NAME: "web",
        BOOCODE_MCP_SERVER_URL: "https://mcp.example/mcp",
        CLAUDE_CODE_MCP_SERVER_NAME: "web",
        CLAUDE_CODE_MCP_SERVER_URL: "https://mcp.example/mcp"
      })
    }))

  it.effect("asks again when a server answers with 401, once for all requests that meet it, and sends each once more", () =>
    Effect.gen(function*() {
      const { layer, spawns } = helper((run) => token(`token-${run}`))
      let valid = "Bearer token-1"
      const web = yield* ScriptedWeb.server((seen) => authorization(seen) === valid ? undefined : refused())
      yield* within(web, layer, (registry) =>
        Effect.gen(function*() {
          valid = "Bearer token-2"
          const calls = yield* Effect.all([1, 2, 3].map(() => registry.call("web_find", {})), { concurrency: 3 })
          assert.isTrue(calls.every(({ isError }) => !isError))
        }))
      assert.lengthOf(spawns, 2)
      assert.lengthOf(web.of("tools/call"), 6)
    }))

  it.effect("asks once a request, and then takes the server at its word", () =>
    Effect.gen(function*() {
      const { layer, spawns } = helper(() => token("never-good"))
      const web = yield* ScriptedWeb.server(refused)
      const status = yield* within(web, layer, (registry) => registry.server("web"))
      assert.deepStrictEqual([status.state, status.error?._tag], ["needs-auth", "AuthRejected"])
      assert.lengthOf(spawns, 2)
      assert.lengthOf(web.seen, 2)
    }))

  it.effect("fails a server whose helper fails, with its last words, and tries again", () =>
    Effect.gen(function*() {
      const { layer, spawns } = helper((run) =>
        run === 1 ? { exitCode: 3, stderr: "no ticket\n" } : token("good-token")
      )
      const web = yield* ScriptedWeb.server()
      let first: unknown = null
      yield* within(web, layer, (registry) =>
        Effect.gen(function*() {
          const { error, state, steps } = yield* registry.server("web")
          first = {
            state,
            tag: error?._tag,
            message: error?.message,
            exitCode: error?.exitCode,
            at: steps.at(-1)?.step
          }
          yield* Effect.sleep("2 seconds")
          assert.strictEqual((yield* registry.server("web")).state, "ready")
        }))
      assert.deepStrictEqual(first, {
        state: "failed",
        tag: "HeadersHelperFailed",
        message: `the command of "headersHelper" exited with code 3; it last wrote to standard error: no ticket`,
        exitCode: 3,
        at: "headersHelper"
      })
      assert.lengthOf(spawns, 2)
    }))

  it.effect("shows nothing of what a helper that failed printed, where its standard error repeats it (R75)", () =>
    Effect.gen(function*() {
      const printed = [
        `{"Authorization": "Bearer canary-1-abcdef", "cut`,
        "canary-1-abcdef",
        "TOKEN=canary-1-abcdef\nsome words",
        "canary canary 1 abcdef"
      ]
      for (const stdout of printed) {
        const stderr = `warning: sent ${stdout}; got Canary-1-ABCDEF, canary canary 1 abcdef\n`
        const { layer } = helper(() => ({ exitCode: 3, stdout, stderr }))
        const web = yield* ScriptedWeb.server()
        const { error } = yield* within(web, layer, (registry) => registry.server("web"))
        assert.strictEqual(error?._tag, "HeadersHelperFailed")
        const shown = JSON.stringify(error)
        assert.notInclude(shown, stdout)
        if (stdout.includes("canary-1-abcdef")) assert.notMatch(shown, /canary-1-abcdef/i)
        assert.match(shown, /standard error: warning: sent .*<redacted>/)
      }
    }))

  it.effect("shows no standard error of a helper that printed more than 64 KB, and sends nothing of that (R75)", () =>
    Effect.gen(function*() {
      for (const exitCode of [0, 3, null]) {
        const stdout = `${"x-pad: y\n".repeat(8000)}Authorization: Bearer canary-1-abcdef\n`
        const { layer } = helper(() => ({ exitCode, isLate: true, stdout, stderr: "sent canary-1-abcdef\n" }))
        const web = yield* ScriptedWeb.server()
        const { error } = yield* within(web, layer, (registry) => registry.server("web"))
        assert.strictEqual(error?._tag, "HeadersHelperFailed")
        assert.notInclude(JSON.stringify(error), "canary")
        assert.match(error?.message ?? "", /standard error: \(withheld/)
        assert.lengthOf(web.seen, 0)
      }
    }))

  it.effect("takes a command down that is not done after 10 s, and leaves nothing of it", () =>
    Effect.gen(function*() {
      const { alive, layer, signals } = helper(() => ({ exitCode: null }))
      const web = yield* ScriptedWeb.server()
      const status = yield* within(web, layer, (registry) => registry.server("web"))
      assert.strictEqual(status.error?.message, `the command of "headersHelper" was not done within 10 s`)
      assert.deepStrictEqual([signals[0], alive()], ["SIGTERM", 0])
      assert.lengthOf(web.seen, 0)
    }))

  it.effect("takes a command down with the registry that asked it", () =>
    Effect.gen(function*() {
      const { alive, layer } = helper((run) => run === 1 ? token("first-token") : { exitCode: null })
      let isValid = true
      const web = yield* ScriptedWeb.server(() => isValid ? undefined : refused())
      yield* within(web, layer, (registry) =>
        Effect.gen(function*() {
          isValid = false
          yield* Effect.forkChild(registry.call("web_find", {}))
          yield* Effect.sleep("1 second")
          assert.strictEqual(alive(), 1)
        }))
      assert.strictEqual(alive(), 0)
    }))

  it.effect("shows no value that a helper ever printed, not even where the server or the helper repeats it (R75)", () =>
    Effect.gen(function*() {
      const { layer } = helper((run) => ({
        ...token(`canary-${run}-abcdef`),
        ...(run === 3 ? { exitCode: 1, stderr: `sent canary-3-abcdef and canary-1-abcdef` } : {})
      }))
      const web = yield* ScriptedWeb.server((seen) =>
        seen.method === "tools/call" ? new Response(`bad ${authorization(seen)}`, { status: 401 }) : undefined
      )
      const shown = yield* within(web, layer, (registry) =>
        Effect.gen(function*() {
          const first = yield* Effect.flip(registry.call("web_find", {}))
          const second = yield* Effect.flip(registry.call("web_find", {}))
          return JSON.stringify([first.message, second.message, yield* registry.servers, yield* registry.log("web")])
        }))
      assert.include(shown, "<redacted>")
      assert.include(shown, "headersHelper gave Authorization")
      assert.notInclude(shown, "canary")
    }))
})

describe("HeaderText", () => {
  const parse = (text: string) => {
    const parsed = HeaderText.parse(text)
    return Result.isSuccess(parsed) ? parsed.success : parsed.failure
  }

  it("reads a JSON object, and lines", () => {
    const headers: HeaderText.HeaderList = [["Authorization", "Bearer a:b"], ["X-Two", "2"]]
    assert.deepStrictEqual(parse(`{"Authorization":"Bearer a:b","X-Two":"2"}\n`), headers)
    assert.deepStrictEqual(parse("Authorization: Bearer a:b\r\n\nX-Two:2\n"), headers)
    assert.deepStrictEqual(parse("{}"), [])
  })

  it("says what is wrong without a word of what was printed", () => {
    const wrong = [
      "",
      "SECRET",
      "{SECRET",
      `{"a":1}`,
      `{"a":"SECRET\u0007"}`,
      `{"SECRET SECRET":"a"}`,
      ": SECRET",
      "[]"
    ]
    for (const text of wrong) {
      const said = parse(text)
      assert.isString(said)
      assert.notInclude(String(said), "SECRET")
    }
    assert.match(String(parse("SECRET")), /neither a JSON object nor lines/)
    assert.match(String(parse(`{"X-Key":"a\\nb"}`)), /X-Key/)
  })
})
