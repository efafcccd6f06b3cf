import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { boocode, json, type Script, status } from "../support/Scripted.ts"

const URL = "http://127.0.0.1:4266"

const answer = (body: Schema.Json, status = 200) => Effect.sync(() => Response.json(body, { status }))

const only = (asked: string, reply: () => ReturnType<NonNullable<Script["answer"]>>): Script => ({
  running: URL,
  answer: (request) => request === asked ? reply() : Effect.die(`nobody expects ${request}`)
})

describe("mcp start, stop, restart and refresh", () => {
  for (const verb of ["start", "stop", "restart", "refresh"] as const) {
    it.effect(`${verb} has it done by the running server and prints the server as it stands then`, () =>
      Effect.gen(function*() {
        const files = status("files", { state: verb === "stop" ? "stopped" : "ready" })
        const script = only(`POST /api/mcp/servers/files/${verb}`, () => answer(files))
        const ended = yield* boocode(["mcp", verb, "files", "--json"], script)
        assert.strictEqual(ended.code, 0, ended.stderr)
        assert.deepStrictEqual(json(ended.stdout), files)
        assert.strictEqual(ended.stderr, `talking to the server at ${URL}\n`)
        const human = yield* boocode(["mcp", verb, "files"], script)
        assert.match(human.stdout, verb === "stop" ? /^ {2}files {2}stopped/ : /^ {2}files {2}ready {2}1 tool/)
      }))

    it.effect(`${verb} fails with a hint when no server runs, and starts none`, () =>
      Effect.gen(function*() {
        const ended = yield* boocode(["mcp", verb, "files", "--json"])
        assert.strictEqual(ended.code, 1)
        assert.deepStrictEqual(json(ended.stdout), {
          error: {
            _tag: "NoServer",
            message: "no server runs on this data folder",
            hint: "start one with boocode serve, or name one with --url"
          }
        })
        assert.deepStrictEqual(ended.log, [])
      }))
  }

  it.effect("refresh without a name is about all servers, and ends with 1 when one cannot be listed", () =>
    Effect.gen(function*() {
      const servers = [status("files"), status("odd")]
      const failed = [{ server: "odd", message: "odd: it listed nothing", hint: "look at its log" }]
      const script = (failed: Schema.Json) =>
        only("POST /api/mcp/refresh", () => answer({ servers, refreshed: ["files"], failed }))
      const good = yield* boocode(["mcp", "refresh"], script([]))
      assert.deepStrictEqual([good.code, good.stdout.split("\n").length], [0, 3], good.stderr)
      const bad = yield* boocode(["mcp", "refresh"], script(failed))
      assert.strictEqual(bad.code, 1)
      assert.include(bad.stderr, "odd: it listed nothing\n  look at its log\n")
      const document = yield* boocode(["mcp", "refresh", "--json"], script(failed))
      assert.deepStrictEqual([document.code, json(document.stdout)], [1, { servers, refreshed: ["files"], failed }])
    }))

  it.effect("tells why it could not be done in the server's words", () =>
    Effect.gen(function*() {
      const document = {
        type: "about:blank",
        title: "Conflict",
        status: 409,
        detail: "files: the server is already running (ready)",
        _tag: "AlreadyRunning",
        hint: "use restart to start it anew",
        state: "ready"
      }
      const script = only("POST /api/mcp/servers/files/start", () => answer(document, 409))
      const ended = yield* boocode(["mcp", "start", "files", "--json", "--url", URL], script)
      assert.strictEqual(ended.code, 1)
      assert.deepStrictEqual(json(ended.stdout), {
        error: { _tag: "AlreadyRunning", message: document.detail, hint: document.hint }
      })
    }))

  it.effect("takes a name with a slash in it for what it is", () =>
    Effect.gen(function*() {
      const script = only("POST /api/mcp/servers/a%2Fb/stop", () => answer(status("a/b", { state: "stopped" })))
      assert.strictEqual((yield* boocode(["mcp", "stop", "a/b"], script)).code, 0)
    }))
})

describe("mcp logs", () => {
  const LINES = [
    { seq: 1, time: "2026-11-21T10:00:00.000Z", kind: "event", level: null, logger: null, text: "starting" },
    {
      seq: 2,
      time: "2026-11-21T10:00:01.000Z",
      kind: "stderr",
      level: null,
      logger: null,
      text: "\u001B[31mlistening\u001B[0m"
    },
    {
      seq: 3,
      time: "2026-11-21T10:00:02.000Z",
      kind: "event",
      level: null,
      logger: null,
      text: "ready, 1 tools, 0 rejected, 240 ms"
    }
  ] as const
  const all = only("GET /api/mcp/servers/files/logs?after=0", () => answer({ lines: LINES }))

  it.effect("shows when, what became of the server and what it wrote, without what a terminal would obey (R100)", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* boocode(["mcp", "logs", "files"], {
        ...all,
        isTerminal: true,
        variables: NO_COLOR
      })
      assert.strictEqual(code, 0)
      const lines = stdout.trimEnd().split("\n")
      assert.deepStrictEqual(lines.map((line) => line.slice(21)), [
        "starting",
        "| listening",
        "ready, 1 tools, 0 rejected, 240 ms"
      ])
      assert.match(lines[0] ?? "", /^2026-11-2\d \d\d:00:00 {2}/)
    }))

  const NO_COLOR = { NO_COLOR: "1" }

  it.effect("prints one document, of the last lines when so many were asked for", () =>
    Effect.gen(function*() {
      const whole = yield* boocode(["mcp", "logs", "files", "--json"], all)
      assert.deepStrictEqual(json(whole.stdout), { server: "files", lines: LINES })
      const last = yield* boocode(["mcp", "logs", "files", "--json", "--lines", "1"], all)
      assert.deepStrictEqual(json(last.stdout), { server: "files", lines: [LINES[2]] })
    }))

  it.effect("goes on with what comes, one document a line, says what it missed, and ends when the server does", () =>
    Effect.gen(function*() {
      const later = { ...LINES[1], seq: 9, text: "again" }
      const script: Script = {
        running: URL,
        answer: (asked) =>
          asked.endsWith("after=0")
            ? answer({ lines: LINES })
            : asked.endsWith("after=3")
            ? answer({ lines: [later] })
            : answer("gone", 502)
      }
      const following = (...args: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const fiber = yield* Effect.forkChild(boocode(["mcp", "logs", "files", "--follow", ...args], script))
          yield* TestClock.adjust("500 millis").pipe(
            Effect.andThen(TestClock.withLive(Effect.sleep("5 millis"))),
            Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined })
          )
          return yield* Fiber.join(fiber)
        })
      const ended = yield* following("--json")
      assert.strictEqual(ended.code, 1)
      const printed = ended.stdout.trimEnd().split("\n").map((line) => Object(json(line)))
      assert.deepStrictEqual(printed.map((line) => line.seq ?? line.error._tag), [1, 2, 3, 9, "UnexpectedAnswer"])
      assert.include(ended.stderr, "… 5 lines came faster than they were read")
      assert.match((yield* following("-n", "1")).stdout, /^\S+ \S+ {2}ready.*\n\S+ \S+ {2}\| again\n$/)
    }))

  it.effect("lets no message look like a line that the server did not send (R100)", () =>
    Effect.gen(function*() {
      const text = "fine\n2026-11-21 11:00:00  stopped\n"
      const said = {
        seq: 1,
        time: "2026-11-21T10:00:03.000Z",
        kind: "message",
        level: "info",
        logger: null,
        text
      } as const
      const { stdout } = yield* boocode(
        ["mcp", "logs", "files"],
        only("GET /api/mcp/servers/files/logs?after=0", () => answer({ lines: [said] }))
      )
      assert.match(stdout, /^\S+ \S+ {2}info fine\n {4}2026-11-21 11:00:00 {2}stopped\n$/)
    }))

  it.effect("shows log messages with their level and who sent them, and of these none below a level", () =>
    Effect.gen(function*() {
      const said = (seq: number, level: string | null, logger: string | null, text: string) =>
        ({ seq, time: "2026-11-21T10:00:03.000Z", kind: "message", level, logger, text }) as const
      const lines = [
        ...LINES,
        said(4, "debug", "db", "opened"),
        said(5, "error", "d\u001B[31mb", "lost\u001B[0m it"),
        said(6, null, null, "who knows")
      ]
      const script = only("GET /api/mcp/servers/files/logs?after=0", () => answer({ lines }))
      const shown = (...args: ReadonlyArray<string>) =>
        Effect.map(
          boocode(["mcp", "logs", "files", ...args], script),
          ({ stdout }) => stdout.trimEnd().split("\n").map((line) => line.slice(21)).slice(LINES.length)
        )
      assert.deepStrictEqual(yield* shown(), ["debug [db] opened", "error [db] lost it", "message who knows"])
      assert.deepStrictEqual(yield* shown("--level", "warning"), ["error [db] lost it", "message who knows"])
      assert.strictEqual((yield* boocode(["mcp", "logs", "files", "--level", "loud"], script)).code, 2)
    }))

  it.effect("is about a running server, and says so when there is none", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "logs", "files"])
      assert.strictEqual(ended.code, 1)
      assert.include(ended.stderr, "no server runs on this data folder")
      assert.include(ended.stderr, "boocode serve")
    }))

  it.effect("wants a whole number of lines (exit 2)", () =>
    Effect.gen(function*() {
      for (const lines of ["0", "-1", "1.5", "many"]) {
        assert.strictEqual((yield* boocode(["mcp", "logs", "files", "--lines", lines], all)).code, 2)
      }
    }))
})

describe("mcp ping and mcp log-level", () => {
  it.effect("a ping prints how long the answer took, or why there was none", () =>
    Effect.gen(function*() {
      const script = only("POST /api/mcp/servers/files/ping", () => answer({ millis: 12.4 }))
      assert.strictEqual((yield* boocode(["mcp", "ping", "files"], script)).stdout, "files answered in 12 ms\n")
      const document = yield* boocode(["mcp", "ping", "files", "--json"], script)
      assert.deepStrictEqual(json(document.stdout), { server: "files", millis: 12.4 })
      const problem = {
        type: "about:blank",
        title: "Gateway Timeout",
        status: 504,
        detail: "files: it did not answer a ping within 10 s",
        _tag: "Unresponsive",
        hint: "it may hang",
        state: null,
        why: null,
        limit: null
      }
      const hung = only("POST /api/mcp/servers/files/ping", () => answer(problem, 504))
      const ended = yield* boocode(["mcp", "ping", "files"], hung)
      assert.strictEqual(ended.code, 1)
      assert.include(ended.stderr, problem.detail)
    }))

  it.effect("a level is sent, and default gives the choice back to the entry", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const script: Script = {
        running: URL,
        answer: (_, body) => {
          sent.push(body)
          return answer(status("files", { logLevel: "debug" }))
        }
      }
      const told = yield* boocode(["mcp", "log-level", "files", "debug"], script)
      assert.strictEqual(told.stdout, "files sends log messages from debug on\n")
      yield* boocode(["mcp", "log-level", "files", "default"], script)
      assert.deepStrictEqual(sent, [{ level: "debug" }, { level: null }])
      assert.strictEqual((yield* boocode(["mcp", "log-level", "files", "loud"], script)).code, 2)
    }))
})
