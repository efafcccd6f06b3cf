import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Clients, ClientText } from "../../src/Exchange.ts"
import { FULL } from "../support/ClientFiles.ts"

const ENTRY = { command: "/opt/node/bin/node", args: ["/opt/boocode/bin/boocode.cjs", "mcp", "serve"] }

const clientOf = (id: string) => Clients.named(id) ?? assert.fail(id)

const opened = Effect.fnUntraced(function*(id: string) {
  const text = yield* ClientText.make(clientOf(id))
  return { text, entry: text.encode(ENTRY) }
})

const done = <A>(result: Result.Result<A, { readonly detail: string }>): A =>
  Result.isSuccess(result) ? result.success : assert.fail(result.failure.detail)

const IDS = Clients.all.map(({ id }) => id)

const names = (look: ClientText.Look) => look.servers.map(({ enabled, name }) => `${name} ${enabled ? "on" : "off"}`)

describe("ClientText", () => {
  it("knows ten applications", () => {
    assert.deepStrictEqual(IDS, Object.keys(FULL))
  })

  for (const id of IDS) {
    describe(id, () => {
      it.effect("gets the entry into a new, an empty and a nearly empty file", () =>
        Effect.gen(function*() {
          const { entry, text } = yield* opened(id)
          for (const before of ["", "\n", ...(/codex|goose/.test(id) ? [] : ["{}", "{\n}\n"])]) {
            const connected = done(text.connect(before, entry, []))
            const look = done(text.look(connected.text))
            assert.deepStrictEqual([look.own?.args, names(look)], [ENTRY.args, []])
          }
        }))

      it.effect("keeps its comments, its other servers and all else, and has them off when they are taken over", () =>
        Effect.gen(function*() {
          const { entry, text } = yield* opened(id)
          const before = FULL[id] ?? ""
          const plain = done(text.connect(before, entry, []))
          assert.deepStrictEqual(names(done(text.look(plain.text))), ["docs on", "web on"])
          for (const comment of before.match(/(?:\/\/|#) \w.*|\/\*.*?\*\//g) ?? []) assert.include(plain.text, comment)
          const taken = done(text.connect(before, entry, ["docs", "web"]))
          const after = done(text.look(taken.text))
          assert.deepStrictEqual(names(after), clientOf(id).off === null ? [] : ["docs off", "web off"])
          assert.deepStrictEqual(after.own?.args, ENTRY.args)
        }))

      it.effect("is as before to its application after both ways, also when somebody has changed it meanwhile", () =>
        Effect.gen(function*() {
          const { entry, text } = yield* opened(id)
          const before = FULL[id] ?? ""
          const { switched, text: connected } = done(text.connect(before, entry, ["docs", "web"]))
          const meanwhile = done(text.connect(connected.replace("\"x\"", "\"z\""), entry, []))
          const back = done(text.disconnect(meanwhile.text, switched))
          const look = done(text.look(back.text))
          assert.deepStrictEqual([look.own, names(look).toSorted(), back.left], [null, ["docs on", "web on"], []])
        }))

      it.effect("stays as it is when it is connected already", () =>
        Effect.gen(function*() {
          const { entry, text } = yield* opened(id)
          const connected = done(text.connect(FULL[id] ?? "", entry, [])).text
          assert.strictEqual(done(text.connect(connected, entry, [])).text, connected)
        }))

      it.effect("is refused when it is broken, is another thing, or has another server of that name", () =>
        Effect.gen(function*() {
          const { entry, text } = yield* opened(id)
          const isYaml = id === "goose"
          const broken = isYaml ? "a: [" : id === "codex" ? "a = " : "{ \"a\": "
          const other = isYaml ? "- a\n" : id === "codex" ? "mcp_servers = 1\n" : "[1]"
          const wrong = (FULL[id] ?? "").replaceAll(/\bdocs\b/g, "boocode")
          for (const before of [broken, other, wrong]) {
            assert.isTrue(Result.isFailure(text.connect(before, entry, [])), before)
          }
        }))
    })
  }

  it.effect("leaves alone a server that a person has changed since it was switched off, and names it", () =>
    Effect.gen(function*() {
      for (const id of ["cursor", "codex"]) {
        const { entry, text } = yield* opened(id)
        const { switched, text: connected } = done(text.connect(FULL[id] ?? "", entry, ["docs", "web"]))
        const changed = id === "codex"
          ? connected.replace("enabled = false", "enabled = true")
          : connected.replace("\"boocode\"", "\"docs\": { \"command\": \"own\" },\n    \"boocode\"")
        const back = done(text.disconnect(changed, switched))
        assert.deepStrictEqual(back.left, ["docs"])
        assert.strictEqual(done(text.look(back.text)).own, null)
      }
    }))

  it.effect("understands opencode's second form", () =>
    Effect.gen(function*() {
      const { entry, text } = yield* opened("opencode")
      const before = "{ \"mcp\": { \"servers\": { \"docs\": { \"type\": \"local\", \"command\": [\"x\"] } } } }"
      const { switched, text: connected } = done(text.connect(before, entry, ["docs"]))
      assert.deepStrictEqual(names(done(text.look(connected))), ["docs off"])
      assert.deepStrictEqual(JSON.parse(done(text.disconnect(connected, switched)).text), JSON.parse(before))
    }))

  const Value = Schema.Literals(["x", "${A}", "$", "a b", "é", "\"", "\\"])
  const Server = Schema.Struct({ command: Value, args: Schema.Array(Value).check(Schema.isMaxLength(2)) })
  const Servers = Arbitrary.schema(
    Schema.Array(Schema.Struct({ name: Schema.Literals(["a", "b-c", "__proto__", "constructor"]), server: Server }))
      .check(Schema.isMaxLength(3))
  )

  it.effect.prop(
    "changes nothing else, whatever servers there are, and brings back the same values",
    [Servers],
    ([all]) =>
      Effect.gen(function*() {
        const servers = Object.fromEntries(all.map(({ name, server }) => [name, server]))
        const before = JSON.stringify({ first: 1, mcpServers: servers, last: [null] }, null, 2)
        const { entry, text } = yield* opened("cursor")
        const { switched, text: connected } = done(text.connect(before, entry, Object.keys(servers)))
        const back = done(text.disconnect(connected, switched))
        assert.deepStrictEqual(JSON.parse(back.text), JSON.parse(before))
      }),
    { arbitrary: { runs: 20 } }
  )
})
