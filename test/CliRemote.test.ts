import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
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
    run: (args: ReadonlyArray<string>, more: Command.Options = {}) =>
      Command.run([...args, "--data", place.data], { ...options, ...more }),
    start: (args: ReadonlyArray<string>) => Command.start([...args, "--data", place.data], options)
  }
})

/** The same, and a server that runs on it and is ready. */
const running = Effect.fnUntraced(function*(servers: Servers = {}, files: Files = {}) {
  const place = yield* folder(servers, files)
  const server = yield* ChatServer.start(place.data, { TOKEN: CANARY })
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
          ["mcp", "call", "mirror_add", "--args", "{\"a\":2,\"b\":3}"],
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

    it.effect("lists the tools of an agent as the API does", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        const { stdout } = yield* place.run(["mcp", "tools", "--agent", "Architect", "--json", "--local"])
        const document = JSON.parse(stdout)
        assert.isAbove(document.tools.length, 3)
        assert.lengthOf(document.warnings, 1)
        assert.deepStrictEqual((yield* server.get("/api/tools?agent=Architect")).body, document)
      }))

    it.effect("judges with doctor the running server's servers as its own, without starting any", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        const before = place.starts()
        const all = yield* Command.run(["mcp", "doctor", "--url", server.url, "--json"])
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
        const one = yield* Command.run(["mcp", "doctor", "mirror", "--url", server.url])
        assert.strictEqual(one.code, 0, one.stdout)
        assert.strictEqual(place.starts(), before)
      }))

    it.effect("talks to it by any name of its file, and to no server of another file or state folder", () =>
      Effect.gen(function*() {
        const { place, server } = yield* Stage
        symlinkSync(place.data, join(place.folder, "link"))
        const talks = Effect.fnUntraced(function*(args: ReadonlyArray<string>, state = place.state) {
          const { code, stderr } = yield* Command.run(["mcp", "call", "files_list_allowed_directories", ...args], {
            env: { BOOCODE_STATE_DIR: state }
          })
          assert.strictEqual(code, 0, stderr)
          return stderr.includes(`talking to the server at ${server.url}`)
        })
        assert.isTrue(yield* talks(["--data", join(place.folder, "link")]))
        assert.isTrue(yield* talks(["--config", join(place.data, "mcp.json")]))
        const other = yield* data()
        assert.isFalse(yield* talks(["--config", join(other.data, "mcp.json")]))
        assert.isFalse(yield* talks(["--data", place.data], join(place.folder, "elsewhere")))
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
        const again = yield* place.run(["mcp", "start", "zoo", "--json"])
        assert.strictEqual(again.code, 1)
        assert.strictEqual(errorOf(again.stdout)._tag, "AlreadyRunning")
        const unknown = yield* place.run(["mcp", "stop", "zo", "--json"])
        assert.deepInclude(errorOf(unknown.stdout), { _tag: "UnknownServer", hint: "did you mean zoo?" })
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
        const one = yield* Command.run(["chat", "--url", server.url, "--json", "/mirror_echo {\"text\":\"hello\"}"])
        const parts = one.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
        assert.deepStrictEqual(parts.map(({ type }) => type).filter((type) => type !== "warning"), [
          "tool-call",
          "tool-result",
          "finish"
        ])
        assert.strictEqual(one.code, 0, one.stderr)
        // The server of the data folder is found without --url.
        const found = yield* place.run(["chat", "--json", "/mirror_echo {\"text\":\"found\"}"])
        assert.strictEqual(found.code, 0, found.stderr)
        assert.include(found.stderr, `talking to the server at ${server.url}`)
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
      const server = yield* ChatServer.start(join(root, "data"))
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

  it.live("says that a call's outcome is unknown when the server is killed, and then passes over it and who has its port", () =>
    Effect.gen(function*() {
      const { place, server } = yield* running()
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
      const none = yield* place.run(["mcp", "restart", "mirror", "--json"])
      assert.strictEqual(none.code, 1)
      assert.strictEqual(errorOf(none.stdout)._tag, "NoServer")
      const { asked } = yield* impostor(Number(new URL(server.url).port))
      const beside = yield* place.run(["mcp", "call", "mirror_echo", "--args", "{\"text\":\"hi\"}"])
      assert.strictEqual(beside.stdout, "hi\n")
      assert.deepStrictEqual(asked.map((url) => url.split("?")[0]), ["/api/health"])
    }))

  it.live("tells an address where nobody, or somebody else, listens", () =>
    Effect.gen(function*() {
      const asking = (url: string) => Command.run(["mcp", "list", "--json", "--url", url])
      const { other, url } = yield* Effect.scoped(Effect.gen(function*() {
        const { url } = yield* impostor(0)
        return { url, other: yield* asking(url) }
      }))
      assert.strictEqual(other.code, 1)
      assert.strictEqual(errorOf(other.stdout)._tag, "UnexpectedAnswer")
      const nobody = yield* asking(url)
      assert.strictEqual(nobody.code, 1)
      assert.strictEqual(errorOf(nobody.stdout)._tag, "NoServer")
    }))
})

/** Answers as a server would that knows everything but the secret, and keeps what it was asked. */
const impostor = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly asked: ReadonlyArray<string>; readonly http: Server; readonly url: string }>(
      (resume) => {
        const asked: Array<string> = []
        const http = createServer((request, response) => {
          asked.push(request.url ?? "")
          const servers = { ready: 1, failed: 0, connecting: 0 }
          response.setHeader("content-type", "application/json")
          response.end(JSON.stringify({ status: "ok", ready: true, servers, proof: "0".repeat(64) }))
        })
        http.listen(port, "127.0.0.1", () => {
          const address = http.address()
          const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
          resume(Effect.succeed({ asked, http, url }))
        })
      }
    ),
    ({ http }) => Effect.promise(() => new Promise<void>((done) => void http.close(() => done())))
  )

describe("boocode init", Deadline.TEST, () => {
  it.live("writes a folder that can be served at once, and never writes over anything", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({ "data/AGENTS.md": "---\nname: Mine\n---\nHi.\n" })
      const first = yield* Command.run(["init"], { cwd: folder })
      assert.strictEqual(first.code, 0, first.stderr)
      assert.match(first.stdout, /^ {2}kept {5}AGENTS\.md$/m)
      assert.include(readFileSync(join(folder, "data/AGENTS.md"), "utf8"), "Mine")
      const again = yield* Command.run(["init", "--json"], { cwd: folder })
      assert.deepStrictEqual(JSON.parse(again.stdout).written, [])
      const list = yield* Command.run(["mcp", "list", "--json", "--data", "data"], { cwd: folder })
      assert.deepStrictEqual(
        JSON.parse(list.stdout).servers.map((server: Record<string, unknown>) => [server["name"], server["state"]]),
        [["context7", "disabled"], ["files", "ready"]]
      )
      // What it prints on a busy machine, where a server takes seconds.
      assert.strictEqual(list.stderr.replace(/^waiting for .*\n/gm, ""), "")
      const fresh = yield* Command.run(["init", "other"], { cwd: folder })
      assert.match(fresh.stdout, /next: npx -y pnpm@12 boocode serve --data other\n$/)
      const server = yield* ChatServer.start(join(folder, "other"))
      const { body } = yield* server.get("/api/agents")
      assert.deepStrictEqual(Object(body["agents"]).map(({ name }: { name: string }) => name), ["Assistant", "Reader"])
      assert.deepStrictEqual(body["problems"], [])
      assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
      assert.strictEqual(server.stderr(), "")
    }))
})
