import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { data, hurried, untilSeen, untilThereAre } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as PartListener from "./support/PartListener.ts"
import * as Zoo from "./support/Zoo.ts"

describe("boocode serve, as a process", Deadline.TEST, () => {
  /** Starts a server on a free port and waits for its address. */
  const serving = Effect.fnUntraced(function*(args: ReadonlyArray<string>, options: Command.Options = {}) {
    const running = yield* Command.start([...args, "--port", "0"], options)
    const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(running.seen.stdout)?.[0]
    yield* untilSeen(() => address() !== undefined)
    return {
      ...running,
      address,
      get: (path: string) => Effect.promise(async () => JSON.parse(await (await fetch(address() + path)).text())),
      post: (path: string, body: unknown) =>
        Effect.promise(async () => {
          const headers = { "content-type": "application/json" }
          return await (await fetch(address() + path, { method: "POST", headers, body: JSON.stringify(body) })).text()
        })
    }
  })

  it.live(
    "serves the data folder, lets --log-level win over settings.json, and ends with exit 0 on SIGTERM and SIGINT, leaving no process behind",
    () =>
      Effect.gen(function*() {
        for (const [signal, args] of [["SIGTERM", ["--log-level", "debug"]], ["SIGINT", []]] as const) {
          const place = yield* data({ "data/settings.json": "{\"logLevel\":\"error\"}" })
          const { child, ended, get } = yield* serving(["serve", "--data", place.data, ...args])
          yield* untilThereAre(place.mark, 1)
          yield* Effect.repeat(get("/api/health"), { until: ({ ready }) => ready === true })
          child.kill(signal)
          const exit = yield* Effect.promise(() => ended)
          assert.strictEqual(exit.code, 0, exit.stderr)
          assert.strictEqual(/INFO.*files: ready/.test(exit.stderr), signal === "SIGTERM", exit.stderr)
          assert.strictEqual(/INFO|WARN/.test(exit.stderr), signal === "SIGTERM", exit.stderr)
          assert.strictEqual(yield* place.left, 0)
        }
      })
  )

  it.live("says once why a server failed, however often it is tried", () =>
    Effect.gen(function*() {
      const tries = join(yield* Command.folder({}), "tries")
      const script = "echo x >> \"$0\"; echo it is broken >&2; exit 3"
      const place = yield* data({}, { dead: { command: "sh", args: ["-c", script, tries] } })
      const { child, ended, seen } = yield* serving(["serve", "--data", place.data])
      yield* untilSeen(() =>
        existsSync(tries) && readFileSync(tries, "utf8").length >= 8 && seen.stdout.includes("failed")
      )
      child.kill("SIGTERM")
      const { stderr, stdout } = yield* Effect.promise(() => ended)
      assert.strictEqual(`${stdout}${stderr}`.match(/it is broken/g)?.length, 1, `${stdout}${stderr}`)
      assert.strictEqual(stdout.match(/dead +failed/g)?.length, 1, stdout)
    }))

  it.live("kills what is stubborn after a second signal, servers that still connect included", () =>
    Effect.gen(function*() {
      const script = "trap '' TERM; while :; do sleep 1; done"
      const place = yield* data({}, { stubborn: { command: "sh", args: ["-c", script] } })
      const { get, ...running } = yield* serving(["serve", "--data", place.data])
      yield* untilThereAre(place.mark, 3)
      const { servers } = yield* get("/api/mcp/servers")
      assert.strictEqual(servers.find(({ name }: { name: string }) => name === "stubborn").state, "connecting")
      running.child.kill("SIGINT")
      yield* Effect.sleep("1 second")
      assert.isAbove(yield* place.count, 0)
      const exit = yield* hurried(running)
      assert.strictEqual(exit.code, 0, exit.stderr)
      assert.strictEqual(yield* place.left, 0)
    }))

  it.live(
    "stops a turn that outlasts its 2.5 seconds after SIGTERM, and ends every stream in good order",
    () =>
      Effect.gen(function*() {
        const place = yield* data({}, { slow: FixtureServer.entry("Echo") })
        const { address, child, ended, get, post } = yield* serving(["serve", "--data", place.data])
        yield* Effect.repeat(get("/api/health"), { until: ({ ready }) => ready === true })
        const { id } = JSON.parse(yield* post("/api/chats", {}))
        const message = "/slow_sleep {\"millis\":60000}"
        const turn = yield* Effect.forkChild(post(`/api/chats/${id}/messages`, { text: message }))
        yield* Effect.repeat(get("/api/chats"), { until: ({ chats }) => chats[0].running !== null })
        const chat = yield* PartListener.open(`${address()}/api/chats/${id}/events`)
        const news = yield* PartListener.open(`${address()}/api/events`)
        yield* chat.until((parts) => parts.some(({ type }) => type === "tool-call"))
        child.kill("SIGTERM")
        const parts = (yield* Fiber.join(turn)).split("\n").filter((line) => line.startsWith("data: "))
        const [result, finish] = parts.slice(-2).map((line) => JSON.parse(line.slice(6)))
        assert.include(result, { type: "tool-result", isError: true })
        assert.include(finish, { type: "finish", reason: "interrupted" })
        assert.include((yield* chat.end).at(-1), { type: "finish", reason: "interrupted" })
        yield* news.end
        assert.strictEqual((yield* Effect.promise(() => ended)).code, 0)
        assert.strictEqual(yield* place.left, 0)
      })
  )

  it.live(
    "leaves nothing behind however often somebody presses Ctrl-C, and calls its own kills no errors",
    () =>
      Effect.gen(function*() {
        const stubborn = "trap '' TERM; (setsid sleep 999 &); while :; do sleep 1; done"
        const servers = {
          never: { command: "sleep", args: ["1000"] },
          stubborn: { command: "sh", args: ["-c", stubborn] },
          unwilling: Zoo.entry("Stubborn")
        }
        for (const args of [["serve", "--port", "0"], ["mcp", "list"]]) {
          const place = yield* data({}, servers)
          const running = yield* Command.start([...args, "--data", place.data])
          yield* untilThereAre(place.mark, 7)
          const exit = yield* hurried(running)
          assert.strictEqual(yield* place.left, 0)
          assert.strictEqual(exit.code, args[0] === "serve" ? 0 : 130, exit.stderr)
          assert.notInclude(exit.stderr, "SIGKILL")
        }
      })
  )

  it.live("is what `pnpm start` runs: on the checkout's data folder wherever the person stands, or on what they name", () =>
    Effect.gen(function*() {
      const place = yield* data()
      const names = Effect.fnUntraced(function*(args: ReadonlyArray<string>, stands: string, named: object = {}) {
        const env = { INIT_CWD: stands, BOOCODE_STATE_DIR: join(place.folder, "state"), ...named }
        const { get } = yield* serving(args, { program: "scripts/Start.mjs", cwd: Command.CHECKOUT, env })
        const { servers } = yield* get("/api/mcp/servers")
        return servers.map(({ name, source }: { name: string; source: string }) => `${name} ${source}`).join()
      }, Effect.scoped)
      const own = ["codecontext", "context7", "files"].map((name) => `${name} data/mcp.json`).join()
      assert.strictEqual(yield* names(["--"], join(Command.CHECKOUT, "docs")), own)
      const theirs = /^broken .*,echo .*,files .*,off .*$/
      assert.match(yield* names(["--data", "data"], place.folder), theirs)
      assert.match(yield* names([], place.folder, { MCP_CONFIG_PATH: "data/mcp.json" }), theirs)
    }))
})
