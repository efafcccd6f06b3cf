import { InvalidFile } from "@boocode/mcp-config"
import { McpError, McpErrors } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as TestClock from "effect/testing/TestClock"
import { boocode, EMPTY, json, status, tool } from "../support/Scripted.ts"

const ERROR = {
  _tag: "Exited",
  message: "the server exited with code 3 during initialize",
  hint: "its last lines on standard error say why",
  exitCode: 3,
  signal: null,
  stderr: "starting\n\u001B[31mboom\u001B[0m\n",
  code: null,
  method: null,
  limitMillis: null
}
const DEAD = status("dead", { state: "failed", tools: 0, connectMillis: null, error: ERROR })
const WRITER = "declares itself not read-only"
const left = (tool: string, reason: string) => ({
  ...{ tool, reason, openWorld: false },
  ...(reason === WRITER ? { class: "writes" as const, writer: true } : { class: "undeclared" as const, writer: false })
})
const FILES = status("files", {
  tools: 2,
  classes: { reads: 2, undeclared: 0, writes: 2, destroys: 0 },
  rejected: [left("edit", WRITER), left("odd", "dropped"), left("write", WRITER)]
})
const OFF = status("off", { state: "disabled", tools: 0, connectMillis: null })

const TOOLS = [tool("files", "list"), tool("files", "read"), tool("web", "fetch")]

/** Lets time pass until a command is done: its verb is loaded in real time before it waits in the clock's. */
const passed = (fiber: Fiber.Fiber<unknown, unknown>) =>
  TestClock.adjust("500 millis").pipe(
    Effect.andThen(TestClock.withLive(Effect.sleep("5 millis"))),
    Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined })
  )

/** An agent but for its tools. */
const agent = {
  name: "A",
  description: null,
  model: null,
  steps: 1,
  temperature: null,
  prompt: "",
  file: null,
  line: null
}

describe("mcp list", () => {
  it.effect("prints one document with every server as it stands, failed ones too (DESIGN 3.2)", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "list", "--json"], { servers: [DEAD, FILES, OFF] })
      assert.strictEqual(ended.code, 0)
      assert.deepStrictEqual(json(ended.stdout), { servers: [DEAD, FILES, OFF], problems: [], write: "off" })
      assert.deepStrictEqual(ended.log, ["open", "settled", "close"])
    }))

  it.effect("says for whom it waits when that takes long", () =>
    Effect.gen(function*() {
      const slow = status("slow", { state: "connecting" })
      const servers = [FILES, slow, { ...slow, name: "fetched", downloadMillis: 180_000 }]
      const fiber = yield* Effect.forkChild(boocode(["mcp", "list", "--json"], { servers, settleMillis: 3000 }))
      yield* passed(fiber)
      const ended = yield* Fiber.join(fiber)
      assert.strictEqual(ended.stderr, "waiting for slow, fetched (its first start may download it, 3m at most) …\n")
      assert.deepStrictEqual(json(ended.stdout), { servers, problems: [], write: "off" })
    }))

  it.effect("names commands as they are typed on this machine, and only in words of its own", () =>
    Effect.gen(function*() {
      const servers = [DEAD, status("old", { state: "stopped", warnings: ["boocode mcp list is a warning"] })]
      const script = { servers, command: "npx -y pnpm@12 boocode" }
      const { stdout } = yield* boocode(["mcp", "list"], script)
      assert.include(stdout, "Details: npx -y pnpm@12 boocode mcp doctor NAME")
      assert.include(stdout, "warning boocode mcp list is a warning")
      const { stderr } = yield* boocode(["mcp", "get", "nothing"], script)
      assert.include(stderr, "npx -y pnpm@12 boocode mcp list")
    }))

  it.effect("shows people a line a server, why one failed, and what was rejected", () =>
    Effect.gen(function*() {
      const { stdout } = yield* boocode(["mcp", "list"], { servers: [DEAD, FILES, OFF] })
      assert.deepStrictEqual(stdout.split("\n"), [
        "  dead   failed  the server exited with code 3 during initialize",
        "                 its last lines on standard error say why",
        "                 | starting",
        "                 | boom",
        "  files  ready   2 tools  10 tokens  2 that write are off  1 left out",
        "  off    off",
        "",
        "  1 ready, 1 failed, 1 off.  Details: boocode mcp doctor NAME",
        "  Write mode off: tools that write are not called.",
        ""
      ])
    }))

  it.effect("fits the table into 80 columns, without the folders in which a command was looked for", () =>
    Effect.gen(function*() {
      const message = `command not found: shop (searched ${"/a/long/folder:".repeat(30)})`
      const lost = status("a-server-with-a-name-that-is-long", {
        state: "failed",
        error: { ...ERROR, message, hint: `install it, ${"or do this, ".repeat(10)}`, stderr: null }
      })
      const login = status("bank", { state: "needs-auth", error: { ...ERROR, hint: "boocode mcp login bank" } })
      const waits = status("shop", { state: "needs-approval", source: "/repo/.mcp.json" })
      const { stdout } = yield* boocode(["mcp", "list"], {
        servers: [FILES, lost, login, waits],
        isTerminal: true,
        columns: 80,
        variables: { NO_COLOR: "1" }
      })
      for (const line of stdout.split("\n")) assert.isAtMost(line.length, 80, line)
      assert.notInclude(stdout, "/a/long/folder")
      assert.match(stdout, /^ {2}bank +log in /m)
      assert.match(stdout, /^ {2}shop +approve .*\/repo\/\.mcp\.json$/m)
      assert.include(stdout, "1 ready, 1 to log in, 1 to approve, 1 failed.")
    }))

  it.effect("counts the tools that are left out", () =>
    Effect.gen(function*() {
      const rejected = Array.from({ length: 12 }, (_, index) => left(`t${index}`, WRITER))
      const classes = { reads: 1, undeclared: 0, writes: 12, destroys: 0 }
      const { stdout } = yield* boocode(["mcp", "list"], {
        servers: [status("most", { classes, rejected, rejectedMore: 9900 })]
      })
      assert.include(stdout, "  12 that write are off  9900 left out\n")
    }))

  it.effect("colours for terminals only, and lets no server's text through that a terminal would obey (R100)", () =>
    Effect.gen(function*() {
      const onTerminal = yield* boocode(["mcp", "list"], { servers: [DEAD], isTerminal: true })
      assert.include(onTerminal.stdout, "\u001B[31mfailed")
      assert.notInclude(onTerminal.stdout, "\u001B[31mboom")
      const without = yield* boocode(["mcp", "list"], {
        servers: [DEAD],
        isTerminal: true,
        variables: { NO_COLOR: "1" }
      })
      assert.notInclude(without.stdout, "\u001B")
    }))

  it.effect("fails for a file that cannot be parsed, before anything is started", () =>
    Effect.gen(function*() {
      const error = new InvalidFile({ file: "data/mcp.json", line: 3, column: 7, detail: "expected a comma" })
      const configuration = {
        ...EMPTY,
        sources: [{ file: "data/mcp.json", scope: "data" as const, state: "invalid" as const, hidden: [], error }]
      }
      const ended = yield* boocode(["mcp", "list", "--json"], { configuration })
      const where = { file: "data/mcp.json", line: 3, column: 7 }
      assert.strictEqual(ended.code, 1)
      assert.deepStrictEqual(json(ended.stdout), {
        error: { _tag: "InvalidFile", message: "data/mcp.json:3:7: expected a comma", hint: error.hint, where }
      })
      assert.deepStrictEqual(ended.log, [])
      const human = yield* boocode(["mcp", "list"], { configuration })
      assert.strictEqual(human.stdout, "")
      assert.include(human.stderr, "data/mcp.json:3:7: expected a comma")
    }))

  it.effect("a file of --config that is not there is an error, which says where and what to do", () =>
    Effect.gen(function*() {
      const file = "/nope.json"
      const sources = [{ file, scope: "data" as const, state: "absent" as const, hidden: [], error: null }]
      const script = { configuration: { ...EMPTY, sources } }
      const told = yield* boocode(["mcp", "list", "--json", "--config", file], script)
      const message = "there is no file /nope.json"
      const hint = "check the path after --config; boocode mcp add NAME --config /nope.json -- COMMAND makes the file"
      assert.strictEqual(told.code, 1)
      assert.deepStrictEqual(json(told.stdout), { error: { _tag: "NoFile", message, hint, where: { file } } })
      const shown = yield* boocode(["mcp", "tools", "--config", file], script)
      assert.strictEqual(shown.code, 1)
      assert.strictEqual(shown.stderr, `error  ${message}\n       ${hint}\n`)
    }))

  it.effect("fails where --data names a folder that is not there, as serving does", () =>
    Effect.gen(function*() {
      const files = FileSystem.layerNoop({ exists: (path) => Effect.succeed(path !== "/here/dta") })
      for (const verb of [["mcp", "list"], ["chats", "list"], ["serve"]]) {
        const { code, log, stderr } = yield* boocode([...verb, "--data", "dta"], {
          files,
          variables: { INIT_CWD: "/here" }
        })
        assert.deepStrictEqual([code, log.filter((line) => line.startsWith("{"))], [1, []], verb.join(" "))
        assert.strictEqual(
          stderr,
          "error  there is no folder /here/dta\n" +
            "       check the path after --data; boocode init dta makes a data folder\n"
        )
      }
    }))

  it.effect("says in one line on standard error that a named file does not exist", () =>
    Effect.gen(function*() {
      const configuration = {
        ...EMPTY,
        sources: [{ file: "x/mcp.json", scope: "data" as const, state: "absent" as const, hidden: [], error: null }]
      }
      const named = yield* boocode(["mcp", "list", "--json", "--data", "x"], { configuration })
      assert.strictEqual(named.code, 0)
      assert.deepStrictEqual(json(named.stdout), { servers: [], problems: [], write: "off" })
      assert.strictEqual(named.stderr, "x/mcp.json does not exist, so it configures no servers\n")
      const byVariable = yield* boocode(["mcp", "list"], {
        configuration,
        variables: { MCP_CONFIG_PATH: "x/mcp.json" }
      })
      assert.include(byVariable.stderr, "x/mcp.json does not exist")
      const unnamed = yield* boocode(["mcp", "list"], { configuration })
      assert.strictEqual(unnamed.stderr, "")
      assert.strictEqual(unnamed.stdout, "no servers are configured\n")
    }))
})

describe("mcp search", () => {
  it.effect("prints what fits best, in the documented shape, and which servers are missing (DESIGN 3.2, R48)", () =>
    Effect.gen(function*() {
      const servers = [DEAD, FILES]
      const { log, stdout } = yield* boocode(["mcp", "search", "files raed", "--json"], { servers, tools: TOOLS })
      const found = Object(json(stdout))
      assert.strictEqual(found.tools[0].name, "files_read")
      assert.isAbove(found.tools[0].score, found.tools[1].score)
      assert.deepStrictEqual([found.waiting, found.failed], [[], ["dead"]])
      assert.deepStrictEqual(log, ["open", "settled", "close"])
      const agents = [{ ...agent, tools: ["web_*"] }] as const
      const allowed = yield* boocode(["mcp", "search", "files_read", "--agent", "A"], { tools: TOOLS, agents })
      assert.strictEqual(allowed.stdout, "no tools\n", "what an agent may not use is not found for it (R50)")
      const one = yield* boocode(["mcp", "search", "fetch", "--limit", "1"], { servers, tools: TOOLS })
      assert.match(one.stdout, /^web_fetch  .*\n$/)
      assert.include(one.stderr, "dead is failed")
    }))

  it.effect("gives every key of mcp tools in JSON, and the score (DESIGN 3.2)", () =>
    Effect.gen(function*() {
      const keys = (stdout: string) => Object.keys(Object(json(stdout)).tools[0])
      const all = keys((yield* boocode(["mcp", "tools", "--json"], { tools: TOOLS })).stdout)
      const found = keys((yield* boocode(["mcp", "search", "fetch", "--json"], { tools: TOOLS })).stdout)
      assert.includeMembers(all, [
        "name",
        "server",
        "tool",
        "title",
        "description",
        "inputSchema",
        "annotations",
        "tokens"
      ])
      assert.deepStrictEqual(found, [...all, "score"])
    }))

  it.effect("shows people what helps to choose: what the title adds, and how the description begins", () =>
    Effect.gen(function*() {
      const tools = [
        { ...tool("files", "read"), title: "Read", description: "\n  Reads a text file.\n\nMany more words." },
        { ...tool("web", "fetch"), title: "Page Getter", description: "Gets a page." },
        { ...tool("sky", "moon"), title: "Moon phases", description: "Moon phases of a year." },
        { ...tool("sky", "x"), title: "Sun", description: null },
        { ...tool("sky", "y"), title: null, description: null }
      ]
      const { stdout } = yield* boocode(["mcp", "tools"], { tools })
      assert.strictEqual(
        stdout,
        "files_read  Reads a text file.\nweb_fetch   Page Getter: Gets a page.\n" +
          "sky_moon    Moon phases of a year.\nsky_x       Sun\nsky_y\n"
      )
    }))

  it.effect("refuses limits and queries that make no sense, before it starts anything", () =>
    Effect.gen(function*() {
      for (
        const args of [["x", "--limit", "0"], ["x", "--limit", "101"], ["x", "--limit", "1.5"], ["x", "--limit", "y"], [
          " "
        ]]
      ) {
        const { code, log, stderr, stdout } = yield* boocode(["mcp", "search", ...args], { tools: TOOLS })
        assert.deepStrictEqual([code, stdout, log], [2, "", []], args.join(" "))
        assert.match(stderr, args.length === 1 ? /a few words/ : /number|Int/i)
      }
    }))
})

describe("mcp tools", () => {
  it.effect("prints the tools in the documented shape", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "tools", "--json"], { servers: [FILES], tools: TOOLS })
      assert.strictEqual(ended.code, 0)
      assert.deepStrictEqual(json(ended.stdout), {
        tools: TOOLS.map((
          { isAlwaysLoaded: _a, isOpenWorld, isTrusted: _t, maxResultBytes: _m, outputSchema: _o, target: _w, ...shown }
        ) => ({ ...shown, openWorld: isOpenWorld })),
        warnings: []
      })
    }))

  it.effect("narrows by server, agent and patterns at once", () =>
    Effect.gen(function*() {
      const names = (args: ReadonlyArray<string>) =>
        boocode(["mcp", "tools", ...args], {
          servers: [FILES, status("web")],
          tools: TOOLS,
          agents: [{ ...agent, tools: ["files_*"] }]
        }).pipe(Effect.map(({ stdout }) => stdout.split("\n").map((line) => line.split(" ")[0])))
      assert.deepStrictEqual(yield* names([]), ["files_list", "files_read", "web_fetch", ""])
      assert.deepStrictEqual(yield* names(["web"]), ["web_fetch", ""])
      assert.deepStrictEqual(yield* names(["--agent", "A"]), ["files_list", "files_read", ""])
      assert.deepStrictEqual(yield* names(["--match", "web_*", "--match", "files_r*"]), ["files_read", "web_fetch", ""])
      assert.deepStrictEqual(yield* names(["files", "--agent", "A", "--match", "files_r*"]), ["files_read", ""])
    }))

  it.effect("names the nearest server, and says why the one asked for has no tools", () =>
    Effect.gen(function*() {
      const unknown = yield* boocode(["mcp", "tools", "fils", "--json"], { servers: [FILES] })
      assert.strictEqual(unknown.code, 1)
      assert.deepStrictEqual(json(unknown.stdout), {
        error: { _tag: "UnknownServer", message: "no server is called fils", hint: "did you mean files?" }
      })
      const dead = yield* boocode(["mcp", "tools", "dead"], { servers: [DEAD] })
      assert.strictEqual(dead.code, 1)
      assert.include(dead.stderr, "dead: the server is failed: the server exited with code 3")
      const agent = yield* boocode(["mcp", "tools", "--agent", "Assistent", "--json"])
      assert.strictEqual(agent.code, 1)
      assert.include(agent.stdout, "\"UnknownAgent\"")
      assert.include(agent.stdout, "Assistant")
    }))

  it.effect("tells on standard error which servers are missing from the answer", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "tools"], { servers: [DEAD, FILES, OFF], tools: TOOLS })
      assert.strictEqual(ended.code, 0)
      assert.strictEqual(
        ended.stderr,
        "warning  dead is failed: the server exited with code 3 during initialize\n"
      )
    }))
})

describe("mcp call", () => {
  const answer = (isError: boolean) => () =>
    Effect.succeed({ isError, content: [{ type: "text", text: "hello" }], structuredContent: null, millis: 12 })

  it.effect("refuses arguments that the tool's schema refuses, and starts no call (Decision 12)", () =>
    Effect.gen(function*() {
      const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
      const tools = TOOLS.map((tool) => tool.name === "files_read" ? { ...tool, inputSchema } : tool)
      const script = { servers: [FILES], tools, call: () => Effect.die("called") }
      const ended = yield* boocode(["mcp", "call", "files_read", "--args", "{\"path\":1}"], script)
      assert.strictEqual(ended.code, 1)
      assert.strictEqual(ended.stdout, "")
      assert.include(ended.stderr, "bad arguments for files_read: path should be a string, got 1")
    }))

  it.effect("tells people on standard error what is wrong with an answer that arrived (R62)", () =>
    Effect.gen(function*() {
      const outputSchema = { type: "object" }
      const tools = TOOLS.map((tool) => tool.name === "files_read" ? { ...tool, outputSchema } : tool)
      const script = { servers: [FILES], tools, call: answer(false) }
      const ended = yield* boocode(["mcp", "call", "files_read"], script)
      assert.deepInclude(ended, { code: 0, stdout: "hello\n" })
      assert.strictEqual(
        ended.stderr,
        "note: the tool declares an outputSchema, but its answer has no structuredContent\n"
      )
      const machine = yield* boocode(["mcp", "call", "files_read", "--json"], script)
      assert.strictEqual(machine.stderr, "")
    }))

  it.effect("prints the text for people and the whole result with --json", () =>
    Effect.gen(function*() {
      const script = { servers: [FILES], tools: TOOLS, call: answer(false) }
      const human = yield* boocode(["mcp", "call", "files_read"], script)
      assert.strictEqual(human.stdout, "hello\n")
      assert.strictEqual(human.code, 0)
      assert.deepStrictEqual(human.log, ["open", "settled files", "close"])
      const machine = yield* boocode(["mcp", "call", "files_read", "--json"], script)
      assert.deepStrictEqual(json(machine.stdout), {
        isError: false,
        text: "hello",
        content: [{ type: "text", text: "hello" }],
        structuredContent: null,
        truncated: null,
        origin: { server: "files", tool: "read", isTrusted: true },
        fault: null,
        diagnostics: [],
        millis: 12
      })
    }))

  it.effect("prints a tool's own error as its normal document, and ends with exit 1", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "call", "files_read", "--json"], {
        servers: [FILES],
        tools: TOOLS,
        call: answer(true)
      })
      assert.strictEqual(ended.code, 1)
      assert.deepInclude(json(ended.stdout), { isError: true, text: "hello" })
      assert.strictEqual(ended.stderr, "")
    }))

  it.effect("passes arguments of the flag or of standard input, and the timeout", () =>
    Effect.gen(function*() {
      const calls: Array<unknown> = []
      const call = (name: string, args: unknown, options?: { readonly timeout?: Duration.Duration | undefined }) => {
        calls.push([name, args, options?.timeout === undefined ? null : Duration.toMillis(options.timeout)])
        return answer(false)()
      }
      const script = { servers: [FILES], tools: TOOLS, call, stdin: "{\"b\":2}\n" }
      yield* boocode(["mcp", "call", "files_read", "--args", "{\"a\":1}", "--timeout", "1500ms"], script)
      yield* boocode(["mcp", "call", "files_read", "--args", "-", "--timeout", "2 seconds"], script)
      yield* boocode(["mcp", "call", "files_read", "--timeout", "2s"], script)
      yield* boocode(["mcp", "call", "files_read", "--timeout", "1.5m"], script)
      yield* boocode(["mcp", "call", "files_read"], script)
      assert.deepStrictEqual(calls, [
        ["files_read", { a: 1 }, 1500],
        ["files_read", { b: 2 }, 2000],
        ["files_read", {}, 2000],
        ["files_read", {}, 90_000],
        ["files_read", {}, null]
      ])
    }))

  it.effect("says where arguments are not JSON, before anything is started", () =>
    Effect.gen(function*() {
      for (const args of ["{\"a\": nope}", "{\"a\": 1", "[1]"]) {
        const ended = yield* boocode(["mcp", "call", "files_read", "--json", "--args", args])
        assert.strictEqual(ended.code, 2)
        assert.strictEqual(ended.stdout, "")
        assert.match(ended.stderr, /line 1, column \d+|expected a JSON object/)
        assert.deepStrictEqual(ended.log, [])
      }
    }))

  it.effect("names the nearest tools, after all servers that could have it settled", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "call", "nothing_like_it", "--json"], { servers: [FILES], tools: TOOLS })
      assert.strictEqual(ended.code, 1)
      assert.deepStrictEqual(json(ended.stdout), {
        error: {
          _tag: "UnknownTool",
          message: "no tool is called nothing_like_it",
          hint: "did you mean files_read?"
        }
      })
      assert.deepStrictEqual(ended.log, ["open", "settled", "close"])
    }))

  it.effect("waits for the servers that could have the tool, and says for whom when that takes long", () =>
    Effect.gen(function*() {
      const connecting = { state: "connecting" } as const
      const fiber = yield* Effect.forkChild(boocode(["mcp", "call", "web_b_x"], {
        servers: [FILES, status("web", connecting), status("web_b", connecting), status("slow", connecting)],
        tools: [tool("web", "b_x")],
        call: answer(false),
        settleMillis: 3000
      }))
      yield* passed(fiber)
      const ended = yield* Fiber.join(fiber)
      assert.strictEqual(ended.stderr, "waiting for web, web_b …\n")
      assert.strictEqual(ended.stdout, "hello\n")
      assert.deepStrictEqual(ended.log, ["open", "settled web", "settled web_b", "close"])
    }))

  it.effect("calls a built-in tool without waiting for any server, so that a handle can be read (R35)", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["mcp", "call", "view_file", "--args", "{\"path\":\"result-1\"}"], {
        servers: [FILES],
        settleMillis: 60_000
      })
      assert.strictEqual(ended.stdout, "read {\"path\":\"result-1\"}\n")
      assert.deepStrictEqual(ended.log, ["open", "close"])
    }))

  it.effect("says the state of a server that is not ready, and why", () =>
    Effect.gen(function*() {
      const call = () =>
        Effect.fail(
          new McpError({ server: "dead", reason: new McpErrors.NotReady({ state: "failed", why: "it exited" }) })
        )
      const ended = yield* boocode(["mcp", "call", "dead_x", "--json"], {
        servers: [DEAD],
        tools: [tool("dead", "x")],
        call
      })
      assert.strictEqual(ended.code, 1)
      assert.deepInclude(json(ended.stdout), {
        error: {
          _tag: "NotReady",
          message: "dead: the server is failed: it exited",
          hint: "its last lines on standard error say why",
          where: { server: "dead" }
        }
      })
    }))

  it.effect("says how a call may take longer", () =>
    Effect.gen(function*() {
      const reason = new McpErrors.CallTimeout({ tool: "read", limitMillis: 500, limit: "timeout" })
      const script = {
        servers: [FILES],
        tools: TOOLS,
        call: () => Effect.fail(new McpError({ server: "files", reason }))
      }
      assert.match((yield* boocode(["mcp", "call", "files_read"], script)).stderr, /"timeout" of the entry.*--timeout/)
      const given = yield* boocode(["mcp", "call", "files_read", "--timeout", "500ms"], script)
      assert.match(given.stderr, /give a longer --timeout/)
    }))

  it.effect("names the agents there are when none is near", () =>
    Effect.gen(function*() {
      for (const verb of [["mcp", "tools"], ["chat", "hi"]]) {
        const ended = yield* boocode([...verb, "--agent", "Nope"], { servers: [FILES], tools: TOOLS })
        assert.strictEqual(ended.code, 1)
        assert.include(ended.stderr, "there are Assistant")
      }
    }))
})
