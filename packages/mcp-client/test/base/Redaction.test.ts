import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Redaction from "../../src/base/Redaction.ts"
import { config, http, stdio } from "../support/ServerConfigs.ts"

const CANARY = "canary-4711-secret"

const overHttp = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Redaction.scrubber(config({ transport: http(url, headers) }))
const overStdio = (env: Readonly<Record<string, string>>) => Redaction.scrubber(config({ transport: stdio({ env }) }))

describe("Redaction.scrubber", () => {
  it.prop(
    "lets no value of the environment through, wherever it stands (Decision 15, R75)",
    [Schema.String, Schema.String],
    ([before, after]) => !overStdio({ KEY: CANARY })(`${before}${CANARY}${after}${CANARY}`).includes(CANARY),
    { arbitrary: { runs: 100 } }
  )

  it("hides arguments and path segments that carry keys, and leaves paths, packages and words alone (R75)", () => {
    const args = [
      "--api-key",
      CANARY,
      "--token=abcdefgh1",
      "-y",
      "@scope/package-name",
      "/home/me/project1",
      "sk1234567890abcdefXYZ"
    ]
    const scrub = Redaction.scrubber(config({ transport: stdio({}, args) }), ["inherited-secret"])
    const said = [
      CANARY,
      "abcdefgh1",
      "@scope/package-name",
      "/home/me/project1",
      "sk1234567890abcdefXYZ",
      "inherited-secret"
    ]
    assert.deepStrictEqual(said.map(scrub), [
      "<redacted>",
      "<redacted>",
      "@scope/package-name",
      "/home/me/project1",
      "<redacted>",
      "<redacted>"
    ])
    assert.strictEqual(
      overHttp("https://x/hooks/T024BE7LD0123456789/mcp")("T024BE7LD0123456789 hooks"),
      "<redacted> hooks"
    )
  })

  it("hides the password in an address among the arguments, and the value of a header there (R75)", () => {
    const args = [
      "postgresql://postgres:canary-db-1@db.example:5432/main?sslpassword=canary-db-2",
      "--db=mysql://someone:canary-db-3@db.example",
      "--header",
      `Authorization: Bearer ${CANARY}`,
      "--pwd=canary-pw",
      "--header=X-Key: canary-key-1"
    ]
    const scrub = Redaction.scrubber(config({ transport: stdio({}, args) }))
    const said = "postgres at db.example: canary-db-1 canary-db-2 canary-db-3 canary-pw canary-key-1"
    assert.strictEqual(scrub(said), "postgres at db.example:" + " <redacted>".repeat(5))
    assert.strictEqual(scrub(`token ${CANARY}`), "token <redacted>")
  })

  it("says where something was hidden", () => {
    assert.strictEqual(overStdio({ KEY: CANARY })(`key ${CANARY} is bad`), "key <redacted> is bad")
  })

  it("hides header values, and a token without its scheme (R75)", () => {
    const scrub = overHttp("https://x/mcp", { Authorization: `Bearer ${CANARY}`, "X-API-Key": "other-secret-9" })
    assert.strictEqual(scrub(`Bearer ${CANARY}`), "<redacted>")
    assert.strictEqual(scrub(`token ${CANARY}, key other-secret-9`), "token <redacted>, key <redacted>")
  })

  it("hides query and password of the url, as written and decoded (R75)", () => {
    const scrub = overHttp("https://user:pass%2Fword%2F9@x/mcp?key=a%2Fsecret%2Fkey&other=longer+value")
    for (const text of ["pass%2Fword%2F9", "pass/word/9", "a/secret/key", "longer value", "longer+value"]) {
      assert.notInclude(scrub(`<${text}>`), text)
    }
    assert.notInclude(scrub("at https://x/mcp?key=a%2Fsecret%2Fkey&other=longer+value"), "secret")
    assert.notInclude(scrub("key=a%2Fsecret%2Fkey"), "secret")
  })

  it("hides the user of the url, where services put a token (R75)", () => {
    const url = `https://${CANARY}@x/mcp`
    assert.notInclude(overHttp(url)(`Request cannot be constructed from ${url}`), CANARY)
  })

  it("hides a secret that is part of another, and the longer one whole", () => {
    const scrub = overStdio({ SHORT: "abcdefgh", LONG: "abcdefgh-ijkl" })
    assert.strictEqual(scrub("abcdefgh-ijkl abcdefgh"), "<redacted> <redacted>")
  })

  it("hides a secret that terminal escapes were written into (R75, R100)", () => {
    const scrub = overStdio({ KEY: CANARY })
    assert.strictEqual(scrub(`\u001b[1mcanary-\u001b[0m4711\u0000-secret`), "<redacted>")
  })

  it("hides a secret of several lines, whatever ends them (R75)", () => {
    const scrub = overStdio({ KEY: "-----BEGIN\r\nabcdefgh\r\n-----END" })
    assert.notInclude(scrub("it is -----BEGIN\r\nabcdefgh\r\n-----END"), "abcdefgh")
  })

  it("takes a secret by its characters, not as a pattern", () => {
    const scrub = overStdio({ KEY: "a.c*(e[g$&" })
    assert.strictEqual(scrub("a.c*(e[g$& abc"), "<redacted> abc")
  })

  it("hides what headers carry in any case, for servers change it; of a program's values the very characters", () => {
    const scrub = overHttp("https://x/mcp", { authorization: "Bearer Abc.$&(def", "x-key": CANARY })
    assert.strictEqual(scrub(`no bearer aBC.$&(DEF, ${CANARY.toUpperCase()}`), "no <redacted>, <redacted>")
    assert.strictEqual(scrub("abc.$&(def abcx$&(def"), "<redacted> abcx$&(def")
    assert.strictEqual(overHttp("https://x/mcp", { a: "A".repeat(200_000) })("A".repeat(200_000)), "<redacted>")
    assert.strictEqual(overStdio({ MODE: "production" })("Production"), "Production")
  })

  it("leaves values of less than eight characters, which are words", () => {
    assert.strictEqual(overStdio({ A: "true", B: "8080", C: "" })("it is true that 8080"), "it is true that 8080")
  })

  it("leaves everything else, also when the url is none", () => {
    assert.strictEqual(overHttp("no url", {})("HTTP 404 to initialize"), "HTTP 404 to initialize")
    assert.strictEqual(overHttp("https://x/mcp", {})("at https://x/mcp"), "at https://x/mcp")
  })
})

describe("Redaction.revealingScrubber", () => {
  it("hides secrets and leaves what hides to the one who judges (R100)", () => {
    const scrub = Redaction.revealingScrubber(config({ transport: stdio({ env: { TOKEN: CANARY } }) }))
    assert.strictEqual(scrub(`a\u200bb ${CANARY}\u001b[31m`), "a\u200bb <redacted>")
    assert.strictEqual(overStdio({ TOKEN: CANARY })(`a\u200bb ${CANARY}\u001b[31m`), "ab <redacted>")
  })

  it("finds a secret that the server wrote with hidden characters between (R100)", () => {
    assert.strictEqual(overStdio({ TOKEN: CANARY })([...CANARY].join("\u200b")), "<redacted>")
  })
})
