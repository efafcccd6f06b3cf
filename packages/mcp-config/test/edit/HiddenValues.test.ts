import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { HiddenValues } from "../../src/index.ts"

const { hide, hideFile, MASK, restore } = HiddenValues

const shown = (entry: unknown) => JSON.parse(hide(JSON.stringify(entry)))

describe("HiddenValues", () => {
  it("hides literal values of env and headers, and shows variables", () => {
    assert.deepStrictEqual(
      shown({
        env: { A: "hunter2", B: "${B}", C: "${C:-fallback}", D: "${D:-}", E: "", F: "x${F}y", G: "$HOME" },
        headers: { Authorization: "Bearer abc", X: "Bearer ${TOKEN}", Y: "${USER}:${PASS}" },
        oauth: { clientId: "me", clientSecret: "s3cret", privateKey: "${KEY}" },
        apiKey: "abc",
        tools: ["read_*"],
        timeout: "30 seconds"
      }),
      {
        env: { A: MASK, B: "${B}", C: `\${C:-${MASK}}`, D: "${D:-}", E: "", F: `${MASK}\${F}${MASK}`, G: MASK },
        headers: { Authorization: MASK, X: "Bearer ${TOKEN}", Y: "${USER}:${PASS}" },
        oauth: { clientId: "me", clientSecret: MASK, privateKey: "${KEY}" },
        apiKey: MASK,
        tools: ["read_*"],
        timeout: "30 seconds"
      }
    )
  })

  it("hides what looks like a key in arguments and addresses, and nothing else of them", () => {
    const key = "sk-proj-4f9a8b7c6d5e4f3a2b1c"
    assert.deepStrictEqual(
      shown({
        command: "npx",
        args: [
          ...["-y", "@scope/server-name@1.2.3", "--token", "abc", `--api-key=${key}`, key, "--header", "X: abc"],
          ...["--header=Authorization: Bearer abc", "https://me:pw@x.example/a?token=1&page=2", "--token", "${T}"],
          ...["/home/me/project-2024-11/file.txt", "postgresql://u:p@db/x", `KEY=${key}`]
        ],
        url: `https://x.example/${key}/mcp?api_key=abc&size=2`
      }),
      {
        command: "npx",
        args: [
          ...["-y", "@scope/server-name@1.2.3", "--token", MASK, `--api-key=${MASK}`, MASK, "--header", MASK],
          ...[`--header=${MASK}`, `https://${MASK}@x.example/a?token=${MASK}&page=2`, "--token", "${T}"],
          ...["/home/me/project-2024-11/file.txt", `postgresql://${MASK}@db/x`, `KEY=${MASK}`]
        ],
        url: `https://x.example/${MASK}/mcp?api_key=${MASK}&size=2`
      }
    )
  })

  it("puts back what stood at the same place, comments and layout as they are", () => {
    const old = "{ // c\n  \"command\": \"x\", \"env\": { \"A\": \"se\\u0063ret\", \"B\": \"b\" }, }"
    const seen = hide(old)
    assert.notInclude(seen, "ret")
    const back = restore(seen.replace("\"x\"", "\"y\""), old)
    assert.deepStrictEqual(back, Result.succeed({ text: old.replace("\"x\"", "\"y\""), kept: new Set(["env"]) }))
    assert.deepStrictEqual(
      restore("{ \"env\": { \"A\": \"new\" } }", old),
      Result.succeed({
        text: "{ \"env\": { \"A\": \"new\" } }",
        kept: new Set()
      })
    )
  })

  it("follows an argument that moved together with its option", () => {
    const old = JSON.stringify({ args: ["--a-key", "1", "--b-key", "2"] })
    const args = (list: ReadonlyArray<string>) =>
      Result.match(restore(JSON.stringify({ args: list }), old), {
        onSuccess: ({ text }) => JSON.parse(text).args,
        onFailure: ({ key }) => key
      })
    assert.deepStrictEqual(args(["-y", "--a-key", MASK, "--b-key", MASK]), ["-y", "--a-key", "1", "--b-key", "2"])
    assert.deepStrictEqual(args(["--b-key", MASK]), ["--b-key", "2"])
    assert.strictEqual(args(["--c-key", MASK]), "args[1]")
  })

  it("does not carry a secret to another place, and says where it has to be typed again", () => {
    const old = JSON.stringify({ env: { A: "secret" }, headers: {} })
    for (
      const [text, key] of [
        [`{ "env": { "B": "${MASK}" } }`, "env.B"],
        [`{\n  "headers": { "A": "${MASK}" } }`, "headers.A"],
        [`{ "env": { "A": "prefix ${MASK}" } }`, "env.A"],
        [`{ "url": "https://evil.example/${MASK}" }`, "url"]
      ] as const
    ) {
      const fault = restore(text, old)
      assert.isTrue(Result.isFailure(fault) && fault.failure.key === key, text)
      assert.isTrue(Result.isFailure(fault) && fault.failure.line === text.split("\n").length, text)
    }
    assert.isTrue(Result.isFailure(restore(`{ "env": { "A": "${MASK}" } }`, null)))
  })

  it("hides the secrets of a whole file, wherever they stand in it", () => {
    const file = JSON.stringify({
      mcpServers: { mail: { command: "mail", args: ["--token", "canary-1"], env: { A: "canary-2" } } },
      models: [{ name: "own", apiKey: "canary-3", headers: { "x-key": "canary-4" } }]
    })
    const hidden = hideFile(file)
    assert.notInclude(hidden, "canary")
    assert.include(hidden, "\"command\":\"mail\"")
    assert.include(hidden, "\"name\":\"own\"")
  })

  it("hides comments of a file, which may be entries", () => {
    const file = `{
      // "env": { "TOKEN": "canary-1" }
      "a": { "command": "mail" /* canary-2
        canary-3 */ }
    } // canary-4
`
    const hidden = hideFile(file)
    assert.notInclude(hidden, "canary")
    assert.include(hidden, "\"command\": \"mail\"")
    assert.include(hidden, `// ${MASK}\n`)
  })

  it("hides numbers of a file where secrets stand, and shows others", () => {
    const file = JSON.stringify({
      mcpServers: {
        mail: { env: { PIN: 48151 }, args: ["--pin", 48152], headers: { x: [48153] }, apiKey: 48154, port: 8080 }
      }
    })
    const hidden = hideFile(file)
    assert.notInclude(hidden, "4815")
    assert.include(hidden, "\"port\":8080")
  })

  it("shows nothing of a file that is no JSON", () => {
    assert.strictEqual(hideFile("{ \"env\": { \"TOKEN\": \"canary"), MASK)
    assert.strictEqual(hideFile("# A text\n"), MASK)
    assert.strictEqual(hideFile(""), "")
  })

  it("hides secrets of a server whose name is that of a key", () => {
    const entry = {
      command: "mail",
      args: ["--token", "canary-1"],
      env: { TOKEN: "canary-2" },
      headers: { "x-key": "canary-3" },
      oauth: { clientSecret: "canary-4" }
    }
    const hidden = hideFile(JSON.stringify({ mcpServers: { args: entry, env: entry, headers: entry } }))
    assert.notInclude(hidden, "canary")
    assert.include(hidden, "\"command\":\"mail\"")
  })

  it.prop("gives back every entry that it hid", [
    Schema.Struct({
      command: Schema.String,
      env: Schema.Record(Schema.String, Schema.String),
      url: Schema.String,
      headers: Schema.Record(Schema.String, Schema.String)
    })
  ], ([entry]) => {
    const text = JSON.stringify(entry, null, 2)
    const back = restore(hide(text), text)
    assert.strictEqual(Result.isSuccess(back) ? back.success.text : "", text)
  })
})
