import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import { data, untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Verdicts from "./support/Verdicts.ts"
import * as Zoo from "./support/Zoo.ts"

const CANARY = "canary-secret-4711"

type Files = Parameters<typeof data>[0]
type Servers = Parameters<typeof data>[1]

/** Writes a line for each start of the server, so that starts are counted and not only what lives at some moment. */
const counted = ({ args, command }: ReturnType<typeof Zoo.entry>, starts: string) => ({
  command: "sh",
  args: ["-c", "echo started >> \"$0\"; exec \"$@\"", starts, command, ...args]
})

/** A data folder with a slow server and one that does what it is asked; both count their starts. */
const folder = Effect.fnUntraced(function*(servers: Servers, files: Files) {
  const starts = join(yield* Command.folder({}), "starts")
  const place = yield* data(files, {
    mirror: counted(FixtureServer.entry("Echo"), starts),
    zoo: counted(Zoo.entry("Slow"), starts),
    ...servers
  })
  const state = join(place.folder, "state")
  const options = { cwd: place.data, env: { BOOCODE_STATE_DIR: state, TOKEN: CANARY } }
  return {
    ...place,
    state,
    starts: () => existsSync(starts) ? readFileSync(starts, "utf8").split("\n").length - 1 : 0,
    run: (args: ReadonlyArray<string>) => AppCommand.run([...args, "--data", place.data], options),
    start: (args: ReadonlyArray<string>) => Command.start([...args, "--data", place.data], options)
  }
})

/** The same, and a server that runs on it and is ready. */
const running = Effect.fnUntraced(function*(
  servers: Servers = {},
  files: Files = {},
  start: ChatServer.Start = AppServer.start
) {
  const place = yield* folder(servers, files)
  const server = yield* start(place.data, { TOKEN: CANARY })
  yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
  return { place, server }
})

const TOOLS = "[view_file, grep, tool_search, mirror_*, files_*, !files_read_*, files_nothing]"

/** One for the tests that do not end it. What became of `zoo` before makes no difference to those that start, stop or call it. */
class Stage extends Context.Service<Stage>()("test/CliRemoteStage", {
  make: running({
    dead: {
      command: "sh",
      args: ["-c", "echo \"token is $TOKEN\" >&2; printf 'no licence' >&2; exit 3"],
      env: { TOKEN: "${TOKEN}" }
    },
    gone: { command: "no-such-program-here" }
  }, { "data/AGENTS.md": `---\nname: Architect\ntools: ${TOOLS}\n---\nPlan.\n` })
}) {
  static readonly layer = Layer.effect(Stage, Stage.make)
}

const announcement = (state: string) => {
  const folder = join(state, "running")
  return readdirSync(folder).map((name) => join(folder, name))
}

const CHANGING = new Set(["pid", "connectMillis", "millis"])

/** Without what no two runs have in common. */
const comparable = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) => {
    // The steps differ: a first start asks for the revision, and a later one remembers the answer.
    if (key === "steps") return []
    // A server that dies again and again is told of in other words after the fifth time.
    if (isDead(value)) return { name: value.name, state: value.state }
    if (typeof value === "string") return value.replace(/after \d+(\.\d+)? m?s/, "after some time")
    return CHANGING.has(key) && typeof value === "number" ? 0 : value
  })

const isDead = (value: unknown): value is { readonly name: string; readonly state: unknown } =>
  typeof value === "object" && value !== null && "name" in value && value.name === "dead" && "state" in value

const errorOf = (stdout: string) => JSON.parse(stdout).error

describe("boocode beside a running server", Deadline.TEST, () => {
  layer(Stage.layer, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("starts no server, and gives the documents and exit codes that it gives by itself", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        const once = place.starts()
        assert.isAbove(once, 0)
        const lines = [
          ["mcp", "list"],
          ["mcp", "tools", "--agent", "Architect"],
          ["mcp", "call", "mirror_sleep", "--args", "{\"millis\":9000}", "--timeout", "200ms"]
        ]
        for (const line of lines) {
          const before = place.starts()
          const remote = yield* place.run([...line, "--json"])
          assert.strictEqual(place.starts(), before, `${line.join(" ")} started a server`)
          assert.include(remote.stderr, `talking to the server at ${server.url}`)
          const local = yield* place.run([...line, "--json", "--local"])
          assert.notInclude(local.stderr, "talking to")
          assert.deepStrictEqual(comparable(remote.stdout), comparable(local.stdout), line.join(" "))
          assert.strictEqual(remote.code, local.code, line.join(" "))
        }
        assert.isAbove(place.starts(), once)
      }))

    it.effect("judges with doctor the running server's servers as its own, without starting any", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        const before = place.starts()
        const all = yield* AppCommand.run(["mcp", "doctor", "--url", server.url, "--json"])
        assert.strictEqual(all.code, 1, all.stderr)
        const { broken, dead, echo, files, gone, mirror, off } = Verdicts.of(all.stdout)
        assert.deepStrictEqual({ broken, dead, echo, files, gone, mirror, off }, {
          broken: "entry",
          dead: "handshake",
          echo: "handshake",
          files: "healthy",
          gone: "command",
          mirror: "healthy",
          off: "disabled"
        })
        assert.strictEqual(place.starts(), before)
      }))

    it.effect("talks to it by any name of its file, and to no server of another file", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        symlinkSync(place.data, join(place.folder, "link"))
        const talks = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
          const { code, stderr } = yield* AppCommand.run(["mcp", "call", "files_list_allowed_directories", ...args], {
            env: { BOOCODE_STATE_DIR: place.state }
          })
          assert.strictEqual(code, 0, stderr)
          return stderr.includes(`talking to the server at ${server.url}`)
        })
        assert.isTrue(yield* talks("--config", join(place.folder, "link", "mcp.json")))
        const other = yield* data()
        assert.isFalse(yield* talks("--config", join(other.data, "mcp.json")))
      }))

    it.effect("has it stop, start, restart and refresh a server, and shows the log of all that, also as it comes", () =>
      Effect.gen(function*() {
        const { place } = yield* Stage
        const follower = yield* place.start(["mcp", "logs", "zoo", "--follow", "--lines", "1"])
        yield* untilSeen(() => /ready/.test(follower.seen.stdout))
        const state = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
          const { code, stderr, stdout } = yield* place.run(["mcp", ...args, "--json"])
          assert.strictEqual(code, 0, stderr)
          const { name, pid, state } = JSON.parse(stdout)
          assert.strictEqual(name, "zoo")
          return { pid, state }
        })
        const first = yield* state("refresh", "zoo")
        assert.strictEqual(first.state, "ready")
        assert.deepStrictEqual(yield* state("stop", "zoo"), { pid: null, state: "stopped" })
        const stopped = yield* place.run(["mcp", "call", "zoo_slow", "--json"])
        assert.deepInclude(errorOf(stopped.stdout), { _tag: "NotReady", hint: "boocode mcp start zoo starts it" })
        const second = yield* state("start", "zoo")
        const third = yield* state("restart", "zoo")
        assert.strictEqual(new Set([first.pid, second.pid, third.pid]).size, 3)
        const { lines } = JSON.parse((yield* place.run(["mcp", "logs", "zoo", "--json"])).stdout)
        const events = lines.filter(({ kind }: { kind: string }) => kind === "event").map((line: { text: string }) =>
          line.text.split(",")[0]
        )
        assert.deepStrictEqual(
          events.filter((text: string) => /^(starting|ready|stopped)$/.test(text)),
          ["starting", "ready", "stopped", "starting", "ready", "stopped", "starting", "ready"]
        )
        yield* untilSeen(() => /ready(.*stopped.*starting.*ready){2}/s.test(follower.seen.stdout))
        follower.child.kill("SIGINT")
        assert.strictEqual((yield* Effect.promise(() => follower.ended)).code, 130)
      }))

    it.effect("shows what a server wrote to standard error before it died, and no secret (R75)", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        const human = yield* place.run(["mcp", "logs", "dead"])
        assert.match(human.stdout, /^\S+ \S+ {2}\| token is <redacted>$/m)
        assert.match(human.stdout, /^\S+ \S+ {2}\| no licence$/m)
        assert.match(human.stdout, /^\S+ \S+ {2}failed: the server exited with code 3/m)
        const { body } = yield* server.get("/api/mcp/servers/dead/logs")
        assert.include(JSON.stringify(body), "token is <redacted>")
        assert.notInclude(human.stdout + JSON.stringify(body), CANARY)
      }))

    it.effect("cancels its call there when somebody presses Ctrl-C", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        const counter = (name: string) =>
          Effect.map(server.post("/api/tools/zoo_counters/call", {}), ({ body }) =>
            JSON.parse(String(body["text"]))[name] ?? 0)
        const { child, ended } = yield* place.start(["mcp", "call", "zoo_slow"])
        yield* ChatServer.until(counter("withToken"), (count) =>
          count === 1)
        assert.strictEqual(yield* counter("notifications/cancelled"), 0)
        child.kill("SIGINT")
        assert.strictEqual((yield* Effect.promise(() => ended)).code, 130)
        assert.strictEqual(yield* ChatServer.until(counter("notifications/cancelled"), (count) => count === 1), 1)
      }))

    it.effect("chats there with --url, part by part, and Ctrl-C stops the turn there", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        const before = place.starts()
        const one = yield* AppCommand.run(["chat", "--url", server.url, "--json", "/mirror_echo {\"text\":\"hello\"}"])
        const parts = one.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
        assert.deepStrictEqual(parts.map(({ type }) => type).filter((type) => type !== "warning"), [
          "tool-call",
          "tool-result",
          "finish"
        ])
        assert.strictEqual(one.code, 0, one.stderr)
        const sleep = "/mirror_sleep {\"millis\":60000}"
        const { child, ended, seen } = yield* Command.start(["chat", "--url", server.url, sleep])
        yield* untilSeen(() => seen.stderr.includes("mirror_sleep"))
        child.kill("SIGINT")
        const stopped = yield* Effect.promise(() => ended)
        assert.strictEqual(stopped.code, 130)
        assert.include(stopped.stderr, "stopped")
        const { body } = yield* server.get("/api/chats")
        assert.deepStrictEqual(Object(body["chats"]).map(({ running }: { running: unknown }) => running), [
          null,
          null
        ])
        assert.strictEqual(place.starts(), before)
      }))
  })

  it.live("finds it by a file that only its owner can read, which is gone with the server", () =>
    Effect.gen(function*() {
      const root = yield* Command.folder({ "data/mcp.json": "{}" })
      const state = join(root, "state")
      const server = yield* AppServer.start(join(root, "data"))
      const [file = "", ...others] = yield* ChatServer.until(
        Effect.sync(() => announcement(state)),
        (files) => files.length > 0
      )
      assert.isEmpty(others)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(join(state, "running")).mode & 0o777, 0o700)
      assert.include(JSON.parse(readFileSync(file, "utf8")), { url: server.url, pid: server.pid })
      assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
      assert.isEmpty(announcement(state))
    }))

  it.live("says that a call's outcome is unknown when the server is killed, and then passes over it", () =>
    Effect.gen(function*() {
      const { place, server } = yield* running({}, {}, ChatServer.start)
      const call = yield* Effect.forkChild(place.run(["mcp", "call", "zoo_slow", "--json"]))
      yield* ChatServer.until(
        server.post("/api/tools/zoo_counters/call", {}),
        ({ body }) => String(body["text"]).includes("withToken")
      )
      yield* server.end("SIGKILL", "process")
      const { code, stdout } = yield* Fiber.join(call)
      assert.strictEqual(code, 1)
      assert.strictEqual(errorOf(stdout)._tag, "OutcomeUnknown")

      assert.lengthOf(announcement(place.state), 1)
      const alone = yield* place.run(["mcp", "call", "mirror_echo", "--args", "{\"text\":\"hi\"}"])
      assert.strictEqual(alone.code, 0, alone.stderr)
      assert.notInclude(alone.stderr, "talking to")
    }))
})

describe("boocode init", Deadline.TEST, () => {
  it.live("writes a folder that can be served at once", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({})
      const made = yield* AppCommand.run(["init", "other"], { cwd: folder })
      assert.strictEqual(made.code, 0, made.stderr)
      assert.match(made.stdout, /next: npx -y pnpm@12 boocode serve --data other\n$/)
      const server = yield* AppServer.start(join(folder, "other"))
      const agents = (yield* server.get("/api/agents")).body
      assert.deepStrictEqual(Object(agents["agents"]).map(({ name }: { name: string }) => name), [
        "Assistant",
        "Reader"
      ])
      assert.deepStrictEqual(agents["problems"], [])
      const servers = Effect.map(
        server.get("/api/mcp/servers"),
        ({ body }) =>
          Object(body["servers"]).map(({ name, state }: { name: string; state: string }) => `${name} ${state}`)
      )
      const settled = ["context7 disabled", "files ready"]
      assert.deepStrictEqual(yield* ChatServer.until(servers, (now) => `${now}` === `${settled}`), settled)
      assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
      assert.strictEqual(server.stderr(), "")
    }))
})
