import { Environment, McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonRpc from "../../../../mcp-client/src/base/JsonRpc.ts"
import * as Redaction from "../../../../mcp-client/src/base/Redaction.ts"
import { config, http, stdio } from "../../../../mcp-client/test/support/ServerConfigs.ts"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const CANARY = "canary-4711-secret"
const HIDDEN = "<redacted>"

/** What hides the secrets of an entry as it is read from a file, where these variables are set. */
const scrubberOf = (entry: object, variables: Readonly<Record<string, string>>) =>
  McpConfig.use(({ current }) => current).pipe(
    Effect.map(({ servers: [server] }) =>
      server === undefined || Result.isFailure(server.config)
        ? assert.fail("the entry cannot be used")
        : Redaction.scrubber(server.config.success)
    ),
    Effect.provide(
      McpConfig.layerEntries({ it: entry }).pipe(
        Layer.provide([FileSystem.layerNoop({}), Path.layer, Environment.layer(variables)])
      )
    )
  )

const Secret = Schema.String.check(Schema.isMinLength(8))

describe("What variables brought into an entry", () => {
  it.effect("is hidden wherever it stands in arguments, alone or as a part (R65, R75)", () =>
    Effect.gen(function*() {
      const entry = { command: "x", args: ["--label", "${A}", "a ${B} b", "${C:-not this}", "${D:-${A}}"] }
      const scrub = yield* scrubberOf(entry, { A: "first-secret", B: "second-secret", C: "", UNUSED: "unused-value" })
      assert.strictEqual(
        scrub("first-secret second-secret not this unused-value"),
        `${HIDDEN} ${HIDDEN} not this unused-value`
      )
    }))

  it.effect("is hidden as a part of a variable, of a header and of the url too (R75)", () =>
    Effect.gen(function*() {
      const env = yield* scrubberOf({ command: "x", env: { URL: "a=${A};b" } }, { A: CANARY })
      assert.strictEqual(env(`a is ${CANARY}`), `a is ${HIDDEN}`)
      const entry = { url: "https://x.example/hooks/${A}/mcp", headers: { Authorization: "Custom id=${B}, v=1" } }
      const remote = yield* scrubberOf(entry, { A: "in-the-path", B: CANARY })
      assert.strictEqual(remote(`in-the-path ${CANARY}`), `${HIDDEN} ${HIDDEN}`)
    }))

  it.effect("is told where it is a path, the host of the url, or what every server gets", () =>
    Effect.gen(function*() {
      const variables = {
        HOME: "home-of-me",
        PLACE: "/opt/project/data",
        HERE: "~/project",
        THERE: "C:\\data\\project"
      }
      const local = yield* scrubberOf(
        { command: "x", args: Object.keys(variables).map((name) => `\${${name}}`) },
        variables
      )
      for (const value of Object.values(variables)) assert.strictEqual(local(value), value)
      const remote = yield* scrubberOf({ url: "${BASE}/${NAME}" }, { BASE: "https://mcp.example.com/v1", NAME: CANARY })
      assert.strictEqual(remote(`https://mcp.example.com/v1 ${CANARY}`), `https://mcp.example.com/v1 ${HIDDEN}`)
      const hidden = yield* scrubberOf({ command: "x", args: ["${KEY}"] }, { KEY: "/9jAbCdEfGh1234567890+xyz/abc" })
      assert.strictEqual(hidden("/9jAbCdEfGh1234567890+xyz/abc"), HIDDEN)
    }))

  it.effect("does not hide what stands as command and folder", () =>
    Effect.gen(function*() {
      const scrub = yield* scrubberOf({ command: "${PROGRAM}", args: [] }, { PROGRAM: "my-program" })
      assert.strictEqual(scrub("my-program"), "my-program")
    }))
})

describe("A secret in a text", () => {
  it.prop(
    "is hidden as JSON, as part of an address, of a form and of a page have it (R75)",
    [Secret],
    ([secret]) => {
      const scrub = Redaction.scrubber(config({ transport: stdio({ env: { KEY: secret } }) }))
      const isKept = secret.replaceAll(/[\p{C}\p{Z}]/gu, "").length >= 8 && secret.isWellFormed()
      if (!isKept) return true
      const form = new URLSearchParams({ a: secret }).toString().slice(2)
      return [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), form]
        .every((text) => !scrub(`<${text}>`).includes(text))
    },
    { arbitrary: { runs: 100 } }
  )

  it("is hidden as HTML has it, and where a backslash is doubled", () => {
    const scrub = Redaction.scrubber(config({ transport: http("https://x/mcp", { Key: "a&b<c>d\"e\\f" }) }))
    assert.strictEqual(scrub("a&amp;b&lt;c&gt;d&quot;e\\f, a&b<c>d\"e\\\\f"), `${HIDDEN}, ${HIDDEN}`)
  })

  it("is hidden when it is the password of an address in a variable", () => {
    const env = { DATABASE: `postgres://someone:${CANARY}@db.example/main` }
    const scrub = Redaction.scrubber(config({ transport: stdio({ env }) }))
    assert.strictEqual(scrub(`someone ${CANARY} db.example`), `someone ${HIDDEN} db.example`)
  })

  it("is hidden besides others while it is one", () => {
    let session: string | undefined = undefined
    const scrub = Redaction.besides((text) => text.replaceAll("x", ""), () => session)
    assert.strictEqual(scrub("xsession-1234"), "session-1234")
    session = "session-1234"
    assert.strictEqual(scrub("xsession-1234"), HIDDEN)
    assert.strictEqual(scrub("xSession-1234"), HIDDEN)
  })

  it("is never printed by the configuration that holds it", () => {
    const filledIn = { TOKEN: Redacted.make(CANARY) }
    const whole = config({ filledIn, transport: stdio({ env: { KEY: CANARY } }, [CANARY]) })
    assert.notInclude(JSON.stringify(whole) + String(whole), CANARY)
  })
})

describe("A server that tells its secrets", () => {
  /** Answers calls with all it has, in the way its tool is named. */
  const telltale: ScriptedHost.Script = {
    tools: ["fails", "refuses", "works", "deep"].map((name) => ScriptedHost.tool(name)),
    answer: ({ id, method, params }, server) => {
      if (method !== "tools/call" || id === undefined) return undefined
      const name = JsonRpc.isObject(params) ? params["name"] : null
      const meta = JsonRpc.isObject(params) && JsonRpc.isObject(params["_meta"]) ? params["_meta"] : {}
      const token = meta["progressToken"] ?? null
      server.say({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: token, progress: 1, message: TOLD }
      })
      const content = [{ type: "text", text: TOLD }]
      switch (name) {
        case "refuses":
          return { jsonrpc: "2.0", id, error: { code: -32603, message: TOLD } }
        case "fails":
          return { jsonrpc: "2.0", id, result: { isError: true, content, structuredContent: { [CANARY]: [TOLD] } } }
        case "deep": {
          server.write(
            `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"isError":true,"content":[],"structuredContent":${
              "[".repeat(9000)
            }${"]".repeat(9000)}}}\n`
          )
          return null
        }
        default:
          return { jsonrpc: "2.0", id, result: { content } }
      }
    }
  }
  const TOLD = `given ${CANARY}, inherited-secret`
  const ENTRY = { command: "server", env: { TOKEN: CANARY }, inheritEnv: ["INHERITED"] }

  const called = (tool: string) =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: telltale })
      host.variables["INHERITED"] = "inherited-secret"
      const messages: Array<string> = []
      const result = yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const onProgress = ({ message }: { readonly message: string | null }) =>
            Effect.sync(() => messages.push(message ?? ""))
          const call = yield* Effect.forkChild(
            registry.call(`it_${tool}`, {}, { onProgress: (one) => Effect.asVoid(onProgress(one)) })
          )
          yield* ScriptedHost.advance(2)
          return yield* Fiber.join(call)
        })
      ).pipe(Effect.provide(host.layer({ it: ENTRY })))
      return { result, messages }
    })

  for (const tool of ["fails", "refuses"]) {
    it.effect(`has them hidden in the result of an error, what it inherited included: ${tool} (R75)`, () =>
      Effect.gen(function*() {
        const { messages, result } = yield* called(tool)
        assert.isTrue(result.isError)
        const text = JSON.stringify([result, messages])
        assert.include(text, `given ${HIDDEN}, ${HIDDEN}`)
        assert.notInclude(text, CANARY)
        assert.notInclude(text, "inherited-secret")
        if (tool === "fails") assert.deepStrictEqual(messages, [`given ${HIDDEN}, ${HIDDEN}`])
      }))
  }

  it.effect("is taken at its word in a good result: that is what was asked for", () =>
    Effect.gen(function*() {
      const { result } = yield* called("works")
      assert.deepStrictEqual(result.content, [{ type: "text", text: TOLD }])
    }))

  it.effect("says that an error cannot be shown which is nested too deep to be looked through", () =>
    Effect.gen(function*() {
      const { result } = yield* called("deep")
      assert.isTrue(result.isError)
      assert.match(JSON.stringify(result.content), /nested too deep/)
    }))
})
