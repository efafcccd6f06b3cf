import { assert, describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as MemoryDisk from "../../../mcp-client/test/support/MemoryDisk.ts"
import * as EntryHash from "../../src/trust/EntryHash.ts"
import { declaredOf, inProject } from "../support/DeclaredEntries.ts"

const print = (entry: object, folder = "/repo", name = "it", files: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const disk = MemoryDisk.make()
    for (const [path, text] of Object.entries(files)) disk.files.set(path, text)
    const server = yield* inProject(disk, entry, folder, name)
    return yield* EntryHash.make(server.name, yield* declaredOf(server))
  }).pipe(Effect.provide(Digest.layerWebCrypto))

const hash = (...args: Parameters<typeof print>) => Effect.map(print(...args), ({ hash }) => hash)

const LOCAL = {
  command: "npx",
  args: ["-y", "@scope/server", "--token", "canary-token-1"],
  cwd: "work",
  env: { A: "canary-value-1", B: "${B:-canary-default-1}" },
  envFile: "mcp.env",
  inheritEnv: ["ONE", "TWO"],
  tools: ["read_*"],
  ask: ["*"],
  pin: "block"
}
const FILES = { "/repo/mcp.env": "FROM_FILE=canary-file-1\n" }

const REMOTE = {
  type: "http",
  url: "https://user:canary-pass-1@mcp.example.com/v1?key=canary-query-1",
  headers: { "X-Key": "canary-header-1", Authorization: "Bearer ${TOKEN}" },
  headersHelper: "./helper.sh"
}

/** Each entry differs from the one it is of in one field. */
const CHANGES: ReadonlyArray<readonly [string, object, object]> = [
  ["command", LOCAL, { command: "npx2" }],
  ["an argument", LOCAL, { args: ["-y", "@scope/server2", "--token", "canary-token-1"] }],
  ["a secret argument", LOCAL, { args: ["-y", "@scope/server", "--token", "canary-token-2"] }],
  ["the order of arguments", LOCAL, { args: ["@scope/server", "-y", "--token", "canary-token-1"] }],
  ["an argument more", LOCAL, { args: [...LOCAL.args, ""] }],
  ["two arguments as one", LOCAL, { args: ["-y @scope/server", "--token", "canary-token-1"] }],
  ["cwd", LOCAL, { cwd: "work2" }],
  ["no cwd", LOCAL, { cwd: undefined }],
  ["the name of a variable", LOCAL, { env: { A2: "canary-value-1", B: LOCAL.env.B } }],
  ["the value of a variable", LOCAL, { env: { A: "canary-value-2", B: LOCAL.env.B } }],
  ["a default", LOCAL, { env: { A: LOCAL.env.A, B: "${B:-canary-default-2}" } }],
  ["a variable more", LOCAL, { env: { ...LOCAL.env, NODE_OPTIONS: "--require ./evil.cjs" } }],
  ["envFile", LOCAL, { envFile: "other.env" }],
  ["no envFile", LOCAL, { envFile: undefined }],
  ["inheritEnv", LOCAL, { inheritEnv: ["ONE"] }],
  ["tools", LOCAL, { tools: ["*"] }],
  ["no tools", LOCAL, { tools: undefined }],
  ["ask", LOCAL, { ask: undefined }],
  ["pin", LOCAL, { pin: "off" }],
  ["writes", LOCAL, { writes: "ask" }],
  ["whom it is for", LOCAL, { for: ["admins"] }],
  ["trustAnnotations", LOCAL, { trustAnnotations: false }],
  ["session", LOCAL, { session: "client" }],
  ["a class", LOCAL, { classes: { write: "destroys" } }],
  ["a target", LOCAL, { targets: { put: { path: "at", read: "get" } } }],
  ["type", REMOTE, { type: "sse" }],
  ["who it is for an authorization server", REMOTE, { oauth: { clientId: "id", clientSecret: "canary-secret-2" } }],
  ["that nobody signs in", REMOTE, { oauth: false }],
  ["the host of the url", REMOTE, { url: "https://user:canary-pass-1@mcp.example.org/v1?key=canary-query-1" }],
  ["the path of the url", REMOTE, { url: "https://user:canary-pass-1@mcp.example.com/v2?key=canary-query-1" }],
  ["the query of the url", REMOTE, { url: "https://user:canary-pass-1@mcp.example.com/v1?key=canary-query-2" }],
  ["the password of the url", REMOTE, { url: "https://user:canary-pass-2@mcp.example.com/v1?key=canary-query-1" }],
  ["the name of a header", REMOTE, { headers: { "X-Key2": "canary-header-1", Authorization: "Bearer ${TOKEN}" } }],
  ["the value of a header", REMOTE, { headers: { "X-Key": "canary-header-2", Authorization: "Bearer ${TOKEN}" } }],
  ["the variable of a header", REMOTE, { headers: { "X-Key": "canary-header-1", Authorization: "Bearer ${OTHER}" } }],
  ["headersHelper", REMOTE, { headersHelper: "./helper2.sh" }]
]

describe("EntryHash", () => {
  for (const [what, entry, change] of CHANGES) {
    it.effect(`is another one after a change of ${what} (R71)`, () =>
      Effect.gen(function*() {
        const before = yield* hash(entry, "/repo", "it", FILES)
        assert.match(before, /^[0-9a-f]{64}$/)
        assert.notStrictEqual(yield* hash({ ...entry, ...change }, "/repo", "it", FILES), before)
      }))
  }

  it.effect("is what it was before there were keys for writing tools, where an entry has none (R71)", () =>
    Effect.gen(function*() {
      const before = yield* hash(LOCAL, "/repo", "it", FILES)
      const defaults = { session: "shared", trustAnnotations: true, classes: {}, targets: {} }
      assert.strictEqual(yield* hash({ ...LOCAL, ...defaults }, "/repo", "it", FILES), before)
      assert.strictEqual(before, "2cf5d364fc21d77168f093257b5a59a3fda57ba300ad46930fa3c8a70f9be689")
    }))

  it.effect("is another one for a value in the file of envFile, another folder and another name (R71)", () =>
    Effect.gen(function*() {
      const all = [
        yield* hash(LOCAL, "/repo", "it", FILES),
        yield* hash(LOCAL, "/repo", "it", { "/repo/mcp.env": "FROM_FILE=canary-file-2\n" }),
        yield* hash(LOCAL, "/repo", "it", { "/repo/mcp.env": "FROM_FILE=canary-file-1\nMORE=1\n" }),
        yield* hash(LOCAL, "/repo"),
        yield* hash(LOCAL, "/other", "it", { "/other/mcp.env": FILES["/repo/mcp.env"] }),
        yield* hash(LOCAL, "/repo", "that", FILES)
      ]
      assert.strictEqual(new Set(all).size, all.length)
    }))

  it.effect("stays for another order of keys, and for what changes no program and no check", () =>
    Effect.gen(function*() {
      const reordered = (entry: object): object => Object.fromEntries(Object.entries(entry).reverse())
      const before = yield* hash(LOCAL, "/repo", "it", FILES)
      const same = [
        reordered(LOCAL),
        { ...LOCAL, env: reordered(LOCAL.env) },
        { ...LOCAL, inheritEnv: ["TWO", "ONE"] },
        { ...LOCAL, timeout: 1000, startupTimeout: 1000, restart: "on-failure", enabled: false, _note: "x" },
        { type: "stdio", ...LOCAL }
      ]
      for (const entry of same) assert.strictEqual(yield* hash(entry, "/repo", "it", FILES), before)
      const headers = { ...REMOTE, headers: reordered(REMOTE.headers) }
      assert.strictEqual(yield* hash(headers), yield* hash(REMOTE))
    }))

  it.effect("shows what a person must see, and no secret (R75)", () =>
    Effect.gen(function*() {
      const local = yield* print(LOCAL, "/repo", "it", FILES)
      assert.deepStrictEqual(local.fields.map(({ key, shown }) => `${key}=${shown}`), [
        "folder=/repo",
        "type=stdio",
        "command=npx",
        "args[0]=-y",
        "args[1]=@scope/server",
        "args[2]=--token",
        "args[3]=<redacted>",
        "cwd=work",
        "env.A=<redacted>",
        "env.B=${B:-<redacted>}",
        "envFile=mcp.env",
        "envFile.FROM_FILE=<redacted>",
        "inheritEnv.ONE=passed on",
        "inheritEnv.TWO=passed on",
        "tools[0]=read_*",
        "ask[0]=*",
        "pin=block"
      ])
      const remote = yield* print(REMOTE)
      assert.deepStrictEqual(remote.fields.map(({ key, shown }) => `${key}=${shown}`), [
        "folder=/repo",
        "type=streamableHttp",
        "url=https://<redacted>@mcp.example.com/v1?key=<redacted>",
        "headers.Authorization=Bearer ${TOKEN}",
        "headers.X-Key=<redacted>",
        "headersHelper=./helper.sh"
      ])
      assert.notInclude(JSON.stringify([local, remote]), "canary")
    }))

  it.effect("hides nothing that makes another program run, and nothing by characters that nobody sees", () =>
    Effect.gen(function*() {
      const { fields } = yield* print({
        command: "python",
        args: ["-Xkey", "./evil.py", "--header", "Authorization: Bearer canary-1", "a\u202Eb\u200Bc", "--auth=evil.js"],
        env: { NODE_OPTIONS: "--require ./evil.cjs", UV_INDEX_URL: "https://me:canary-2@evil.example/simple" }
      })
      const shown = fields.map(({ key, shown }) => `${key}=${shown}`)
      assert.include(shown, "args[1]=./evil.py")
      assert.include(shown, "args[3]=Authorization: <redacted>")
      assert.include(shown, "args[4]=a\\u{202E}b\\u{200B}c")
      assert.include(shown, "args[5]=--auth=evil.js")
      assert.include(shown, "env.NODE_OPTIONS=--require ./evil.cjs")
      assert.include(shown, "env.UV_INDEX_URL=https://<redacted>@evil.example/simple")
      assert.notInclude(JSON.stringify(fields), "canary")
    }))

  it.effect("shows of an address among the arguments where it leads, and no secret (R75)", () =>
    Effect.gen(function*() {
      const { fields } = yield* print({
        command: "npx",
        args: [
          "postgresql://me:canary-1@db.example/main?sslkey=canary-2",
          "--db=mysql://me:canary-3@db.example",
          "https://${USER}:${PASS}@db.example",
          "git+https://code.example/a/b#v1"
        ]
      })
      const shown = fields.map(({ key, shown }) => `${key}=${shown}`)
      assert.include(shown, "args[0]=postgresql://<redacted>@db.example/main?sslkey=<redacted>")
      assert.include(shown, "args[1]=--db=mysql://<redacted>@db.example")
      assert.include(shown, "args[2]=https://<redacted> ${USER} ${PASS}@db.example")
      assert.include(shown, "args[3]=git+https://code.example/a/b#v1")
      assert.notInclude(JSON.stringify(fields), "canary")
    }))
})
