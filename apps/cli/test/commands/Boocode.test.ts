import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode } from "../support/Scripted.ts"

const WRONG = [
  ["nosuch", "nosuch"],
  ["mcp lst", "lst"],
  ["mcp list --nosuch", "--nosuch"],
  ["mcp call", "TOOL"],
  ["mcp call t --timeout soon", "soon"],
  ["mcp call t --timeout 0", "0"],
  ["mcp call t --timeout 2", "2s for 2 seconds, 2ms for 2 milliseconds"],
  ["mcp call t --timeout 2y", "2y"],
  ["mcp add a --timeout 30 -- x", "30s for 30 seconds, 30ms for 30 milliseconds"],
  ["mcp add a --startup-timeout 1 -- x", "1s for 1 second, 1ms for 1 millisecond"],
  ["mcp add a --timeout soon -- x", "soon"],
  ["serve --port seven", "seven"],
  ["serve --port 70000", "70000"],
  ["serve --end-idle 60", "a unit: 60s"],
  ["mcp get a b", "b"],
  ["mcp add a npx -y", "-y"],
  ["mcp install a/b --registry nowhere", "file:DIR"],
  ["mcp install a/b --package gem", "gem"],
  ["mcp upgrade", "NAME"],
  ["mcp remove", "NAME"],
  ["mcp enable a --scope everywhere", "everywhere"],
  ["mcp resources a b", "b"],
  ["mcp read a", "URI"],
  ["mcp prompt a", "NAME"],
  ["mcp login", "NAME"],
  ["mcp authorize a", "authorize"],
  ["chats", "list"],
  ["mcp", "list"],
  ["--port seven", "seven"],
  ["--data x nosuch", "nosuch"]
] as const

describe("Boocode", () => {
  it.effect("answers wrong usage on standard error alone, with exit 2", () =>
    Effect.gen(function*() {
      for (const [line, word] of WRONG) {
        const ended = yield* boocode([...line.split(" ").filter((part) => part !== ""), "--json"])
        assert.strictEqual(ended.code, 2, line)
        assert.strictEqual(ended.stdout, "", line)
        assert.include(ended.stderr, word, line)
        assert.deepStrictEqual(ended.log, [], line)
      }
    }))

  it.effect("prints help that was asked for on standard output", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["--help"])
      assert.strictEqual(ended.code, 0)
      assert.strictEqual(ended.stderr, "")
      for (const word of ["serve", "chat", "mcp", "--data", "--config", "--json"]) assert.include(ended.stdout, word)
    }))

  it.effect("shows only verbs that work", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["mcp", "--help"])
      const known = [
        "list",
        "tools",
        "call",
        "get",
        "doctor",
        "add",
        "remove",
        "enable",
        "disable",
        "approve",
        "reject",
        "revoke",
        "prompts",
        "prompt",
        "resources",
        "read"
      ]
      for (const verb of [...known, "start", "stop", "restart", "refresh", "logs", "login", "logout"]) {
        assert.match(stdout, new RegExp(`^\\s+${verb}\\s`, "m"))
      }
      assert.notMatch(stdout, /\bwizard\b/)
      const root = yield* boocode(["--help"])
      for (const verb of ["serve", "chat", "chats", "init", "mcp"]) {
        assert.match(root.stdout, new RegExp(`^\\s+${verb}\\s`, "m"))
      }
      const { stdout: ofChats } = yield* boocode(["chats", "--help"])
      for (const verb of ["list", "search", "show", "export", "import", "delete"]) {
        assert.match(ofChats, new RegExp(`^\\s+${verb}\\s`, "m"))
      }
      assert.notMatch(root.stdout, /\bwizard\b/)
    }))

  it.effect("keeps every line of every help within 80 columns, and no word is lost", () =>
    Effect.gen(function*() {
      const verbsOf = (help: string) =>
        [...(/^VERBS\n([^]*?)\n\n/m.exec(help)?.[1] ?? "").matchAll(/^ {2}(\S+)/gm)].map(([, verb = ""]) => verb)
      const check = (path: ReadonlyArray<string>): Effect.Effect<number> =>
        Effect.gen(function*() {
          const { stdout } = yield* boocode([...path, "--help"], { isTerminal: true, columns: 200 })
          // oxlint-disable-next-line no-control-regex -- colours take no columns
          const plain = stdout.replaceAll(/\u001B\[\d+m/g, "")
          for (const line of plain.split("\n")) assert.isAtMost(line.length, 80, `${path.join(" ")}: ${line}`)
          const below = yield* Effect.forEach(verbsOf(plain), (verb) => check([...path, verb]))
          return below.reduce((sum, one) => sum + one, 1)
        })
      assert.isAtLeast(yield* check([]), 40)
      const { stdout } = yield* boocode(["chat", "--help"])
      assert.include(stdout.replaceAll(/\s+/g, " "), "where the patterns allow it: * is any run of characters")
    }))

  it.effect("answers a mistyped verb or flag with one line that names the nearest", () =>
    Effect.gen(function*() {
      const said = (...args: ReadonlyArray<string>) => Effect.map(boocode(args), ({ stderr }) => stderr)
      assert.strictEqual(yield* said("mcp", "lst"), "error  there is no verb lst in boocode mcp; did you mean list?\n")
      assert.strictEqual(yield* said("srve"), "error  there is no verb srve in boocode; did you mean serve?\n")
      assert.strictEqual(yield* said("zzzzzz"), "error  there is no verb zzzzzz in boocode; see boocode --help\n")
      assert.strictEqual(
        yield* said("mcp", "list", "--jsonn"),
        "error  there is no flag --jsonn; see boocode mcp list --help\n"
      )
      assert.strictEqual(
        yield* said("mcp", "call"),
        "error  missing required argument: TOOL\n       see boocode mcp call --help\n"
      )
    }))

  it.effect("prints its version", () =>
    Effect.gen(function*() {
      assert.match((yield* boocode(["--version"])).stdout, /^boocode \d+\.\d+\.\d+\n$/)
    }))

  it.effect("takes the shared flags before and after the verb", () =>
    Effect.gen(function*() {
      const before = yield* boocode(["--data", "x", "serve", "--port", "0"])
      const after = yield* boocode(["serve", "--port", "0", "--data", "x"])
      assert.strictEqual(before.code, 0)
      assert.deepStrictEqual(after.log, before.log)
      assert.deepStrictEqual(before.log.map((line) => JSON.parse(line)), [{
        place: { dataDir: "x", configFile: null, isNamed: true },
        options: {
          host: "127.0.0.1",
          port: 0,
          model: null,
          logFormat: null,
          endIdle: null,
          appsPort: null,
          command: "boocode",
          fleet: false,
          logLevel: null
        }
      }])
    }))

  it.effect("serves without a verb, also with flags of serve", () =>
    Effect.gen(function*() {
      for (const args of [[], ["--data", "x", "--port", "0"], ["--model", "a/b"]]) {
        const served = yield* boocode(["serve", ...args])
        assert.strictEqual(served.log.length, 1)
        assert.deepStrictEqual((yield* boocode(args)).log, served.log)
      }
      assert.deepStrictEqual((yield* boocode(["--version"])).log, [])
    }))

  it.effect("passes a log level on to serve, which wins over settings.json there", () =>
    Effect.gen(function*() {
      const { log } = yield* boocode(["serve", "--log-level", "debug"])
      assert.deepStrictEqual(log.map((line) => JSON.parse(line).options.logLevel), ["Debug"])
    }))
})
