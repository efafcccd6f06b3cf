import { ChatStore, FIRST } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Marks from "../packages/toolkit/test/support/Marks.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppCommand from "./support/AppCommand.ts"
import { data, hurried, untilSeen, untilThereAre } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as StoreFile from "./support/StoreFile.ts"

describe("boocode on a data folder", Deadline.TEST, () => {
  it.live("lists every server: healthy, failed, disabled, broken; and leaves no process behind", () =>
    Effect.gen(function*() {
      const place = yield* data()
      const ended = yield* AppCommand.run(["mcp", "list", "--json", "--data", place.data])
      assert.strictEqual(ended.code, 0, ended.stderr)
      const { servers } = JSON.parse(ended.stdout)
      assert.deepStrictEqual(
        servers.map((server: Record<string, unknown>) => [server["name"], server["state"]]),
        [["broken", "failed"], ["echo", "failed"], ["files", "ready"], ["off", "disabled"]]
      )
      const [broken, echo, files] = servers
      assert.strictEqual(broken.error._tag, "InvalidEntry")
      assert.isAbove(files.tools, 3)
      assert.include(files.rejected.map((one: { tool: string }) => one.tool), "write_file")
      assert.strictEqual(files.error, null)
      assert.strictEqual(echo.error._tag, "HandshakeFailed")
      assert.match(ended.stderr, /WARN.*echo/)
      assert.match(ended.stderr, /WARN.*broken: .*command/)
      assert.strictEqual(yield* place.left, 0)
    }))

  it.live("lets servers find the person's own commands before those of the installation, which come last", () =>
    Effect.gen(function*() {
      const own = join(Command.CHECKOUT, "node_modules/.bin")
      const command = "sh"
      const args = ["-c", "echo \"PATH is $PATH\" >&2; exit 3"]
      const place = yield* Command.folder({ "mcp.json": JSON.stringify({ mcpServers: { tells: { command, args } } }) })
      const ended = yield* AppCommand.run(["mcp", "list", "--json", "--data", place], {
        // As pnpm and npx run a program.
        env: { PATH: `${own}:${process.env["PATH"] ?? ""}` }
      })
      const told = /PATH is (\S+)/.exec(JSON.parse(ended.stdout).servers[0].error.stderr)?.[1]?.split(":") ?? []
      assert.isAbove(told.length, 2, ended.stdout)
      assert.isAbove(told.indexOf(own), told.indexOf("/bin"))
      assert.strictEqual(told.indexOf(own), told.lastIndexOf(own))
    }))

  it.live("calls a tool of a published server; its own error is its document and exit 1", () =>
    Effect.gen(function*() {
      const place = yield* data({}, { files: { command: "mcp-server-filesystem", args: ["workspace"] } })
      const call = (args: ReadonlyArray<string>, stdin = "") =>
        Command.run(["mcp", "call", "files_read_text_file", ...args, "--data", place.data], { stdin })
      const file = JSON.stringify({ path: join(place.data, "workspace/hello.txt") })
      const human = yield* call(["--args", "-"], file)
      assert.strictEqual(human.code, 0, human.stderr)
      assert.strictEqual(human.stdout, "hello from a file\n")
      const outside = yield* call(["--args", "{\"path\":\"/etc/hostname\"}", "--json"])
      assert.strictEqual(outside.code, 1)
      assert.deepInclude(JSON.parse(outside.stdout), { isError: true })
      assert.strictEqual(yield* place.left, 0)
    }))

  it.live("starts for a call only the server of its tool, and none for a built-in tool", () =>
    Effect.gen(function*() {
      const started = join(yield* Command.folder({}), "started")
      const tells = { command: "sh", args: ["-c", "echo x > \"$0\"; exec sleep 600", started] }
      const place = yield* data({}, { slow: { ...tells, startupTimeout: "10 minutes" } })
      const call = (args: ReadonlyArray<string>) =>
        AppCommand.run(["mcp", "call", ...args, "--data", place.data]).pipe(Effect.timeout(Deadline.WAIT_MILLIS))
      const files = yield* call(["files_list_allowed_directories", "--json"])
      assert.deepStrictEqual([files.code, files.stderr], [0, ""])
      assert.deepInclude(JSON.parse(files.stdout), { isError: false, truncated: null })
      assert.include(files.stdout, "workspace")
      const own = yield* call(["view_file", "--args", "{\"path\":\"hello.txt\"}"])
      assert.strictEqual(own.code, 0, own.stderr)
      assert.include(own.stdout, "hello from a file")
      assert.isFalse(existsSync(started))
    }))

  it.live("fails for a file that is not JSON, with file, line and column (R66)", () =>
    Effect.gen(function*() {
      const folder = yield* Command.folder({ "data/mcp.json": "{\n  \"mcpServers\": {\n    oops\n  }\n}\n" })
      const ended = yield* AppCommand.run(["chat", "hi", "--json", "--data", join(folder, "data")])
      assert.strictEqual(ended.code, 1)
      const { error } = JSON.parse(ended.stdout)
      assert.strictEqual(error._tag, "InvalidFile")
      assert.match(error.message, /mcp\.json:3:5: /)
    }))

  it.live("reads --config alone, and takes relative paths from where the person stands (INIT_CWD)", () =>
    Effect.gen(function*() {
      const off = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: "cat", enabled: false } } })
      const folder = yield* Command.folder({ "sub/only.json": off("one"), "data/mcp.json": off("two") })
      const names = (args: ReadonlyArray<string>) =>
        Effect.map(
          AppCommand.run(["mcp", "list", "--json", ...args], {
            cwd: Command.CHECKOUT,
            env: { INIT_CWD: join(folder, "sub") }
          }),
          ({ stdout }) => JSON.parse(stdout).servers.map((server: { name: string }) => server.name)
        )
      assert.deepStrictEqual(yield* names(["--config", "only.json"]), ["one"])
      assert.deepStrictEqual(yield* names(["--data", "../data"]), ["two"])
    }))

  it.live("expands variables from the .env of the data folder", () =>
    Effect.gen(function*() {
      const mcpServers = {
        uses: { command: "cat", env: { A: "${FROM_FILE}" }, enabled: false },
        misses: { command: "cat", env: { A: "${NOWHERE_SET}" } }
      }
      const folder = yield* Command.folder({
        "data/.env": "FROM_FILE=a\n",
        "data/mcp.json": JSON.stringify({ mcpServers })
      })
      const { stdout } = yield* AppCommand.run(["mcp", "list", "--json", "--data", join(folder, "data")])
      const errorOf = (name: string) =>
        JSON.parse(stdout).servers.find((server: { name: string }) => server.name === name).error
      assert.strictEqual(errorOf("uses"), null)
      const misses = errorOf("misses")
      assert.strictEqual(misses._tag, "VariableUnset")
      assert.include(misses.message, "NOWHERE_SET")
    }))

  it.live("closes what it started on SIGINT (130), SIGTERM (143) and SIGHUP (129), also while servers connect (R2)", () =>
    Effect.gen(function*() {
      for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
        const place = yield* data({}, { slow: { command: "sleep", args: ["60"] } })
        const { child, ended } = yield* Command.start(["mcp", "list", "--json", "--data", place.data])
        yield* untilThereAre(place.mark, 2)
        child.kill(signal)
        const exit = yield* Effect.promise(() => ended)
        assert.strictEqual(exit.code, code, signal)
        assert.strictEqual(exit.stdout, "")
        assert.strictEqual(yield* place.left, 0)
      }
    }))

  it.live("goes on to close its servers when the reader of its output goes away", () =>
    Effect.gen(function*() {
      const place = yield* data()
      const { child, ended } = yield* Command.start(["mcp", "tools", "--json", "--data", place.data])
      child.stdout?.destroy()
      const exit = yield* Effect.promise(() => ended)
      assert.strictEqual(exit.signal, null)
      assert.notInclude(exit.stderr, "EPIPE")
      assert.strictEqual(yield* place.left, 0)
    }))
})

describe("boocode chat without a server that runs", Deadline.TEST, () => {
  /** A server whose input is also written to a file, and a model that calls its slow tool, then waits. */
  const busy = Effect.gen(function*() {
    const wire = join(yield* Command.folder({}), "wire")
    const echo = [FixtureServer.NODE, FixtureServer.file("Echo")]
    const place = yield* data({}, { slow: { command: "sh", args: ["-c", `tee "${wire}" | "$0" "$1"`, ...echo] } })
    const models = yield* ModelServer.make(({ results, text }) => {
      if (text === "think") return [ModelServer.text("Hm. "), ModelServer.wait(60_000), ModelServer.text("never")]
      return results.length === 0 ? [ModelServer.call("slow_sleep", { millis: 60_000 })] : [ModelServer.text("Good.")]
    })
    return {
      ...place,
      models,
      args: ["--model", "openai/scripted", "--data", place.data],
      env: { OPENAI_BASE_URL: `${models.url}/v1` },
      isCancelled: () => readFileSync(wire, "utf8").includes("notifications/cancelled")
    }
  })

  const partsOf = (stdout: string) => stdout.trimEnd().split("\n").map((line) => JSON.parse(line))

  it.live("prints the parts of a model's turn in the documented vocabulary with --json (DESIGN 3.3)", () =>
    Effect.gen(function*() {
      const place = yield* data()
      const models = yield* ModelServer.make(({ results }) =>
        results.length === 0
          ? [
            ModelServer.reasoning("A file."),
            ModelServer.text("Let me look. "),
            ModelServer.call("files_read_text_file", { path: "hello.txt" })
          ]
          : [ModelServer.text(`It says: ${results[0]?.text.trim()}`)]
      )
      const ended = yield* AppCommand.run(
        ["chat", "What is in hello.txt?", "--json", "--model", "openai/scripted", "--data", place.data],
        { env: { OPENAI_BASE_URL: `${models.url}/v1` } }
      )
      assert.strictEqual(ended.code, 0, ended.stderr)
      const parts = partsOf(ended.stdout)
      const types = parts.map(({ type }) => type)
      assert.deepStrictEqual(types.filter((type, index) => type !== types[index - 1]), [
        ...["warning", "reasoning-delta", "text-delta", "tool-call", "tool-result", "text-delta", "finish"]
      ])
      const keys = new Map(parts.map(({ seq, turn, type, ...part }) => [type, Object.keys(part).sort().join()]))
      assert.deepStrictEqual(Object.fromEntries(keys), {
        "warning": "message,servers",
        "reasoning-delta": "text",
        "text-delta": "text",
        "tool-call": "args,id,name,server",
        "tool-result": "content,id,isError,millis,origin,text,truncated,usage",
        "finish": "reason,usage"
      })
      assert.isTrue(parts.every(({ seq, turn }, index) => seq === index + 1 && turn === 1))
      const said = parts.filter(({ type }) => type === "text-delta").map(({ text }) => text).join("")
      const frame = "<tool_result server=\"files\" tool=\"read_text_file\" trusted=\"yes\">"
      assert.strictEqual(Marks.unnumbered(said), `Let me look. It says: ${frame}\nhello from a file\n\n</tool_result>`)
      assert.strictEqual(parts.at(-1).reason, "stop")
      assert.isTrue(models.requests.every(({ problem }) => problem === null))
      // One more, without tools, may have asked for a title by now.
      assert.lengthOf(models.requests.filter(({ body }) => body["tools"] !== undefined), 2)
    }))

  it.live("stops a model's turn on the first Ctrl-C, its tool cancelled, and leaves on the second", () =>
    Effect.gen(function*() {
      const { args, env, isCancelled, left, models } = yield* busy
      const { child, ended, seen } = yield* Command.start(["chat", "-i", "--json", ...args], { stdin: null, env })
      const finishes = () => seen.stdout.split("\"finish\"").length - 1
      child.stdin?.write("sleep\n")
      yield* untilSeen(() => seen.stdout.includes("\"tool-progress\"") || seen.stdout.includes("\"tool-call\""))
      child.kill("SIGINT")
      yield* untilSeen(() => finishes() === 1)
      yield* untilSeen(isCancelled)
      child.stdin?.write("think\n")
      yield* untilSeen(() => seen.stdout.includes("Hm."))
      child.kill("SIGINT")
      yield* untilSeen(() => finishes() === 2)
      assert.strictEqual(yield* Effect.promise(async () => models.requests.at(-1)?.ended), "closed")
      assert.strictEqual(child.exitCode, null)
      child.kill("SIGINT")
      const exit = yield* Effect.promise(() => ended)
      assert.strictEqual(exit.code, 130, exit.stderr)
      const parts = partsOf(exit.stdout)
      assert.deepStrictEqual(
        parts.filter(({ type }) => type === "finish").map(({ reason }) => reason),
        ["stopped", "stopped"]
      )
      assert.isTrue(parts.find(({ type }) => type === "tool-result").isError)
      assert.strictEqual(yield* left, 0)
    }))

  it.live("says how its turn ended when SIGTERM ends the command", () =>
    Effect.gen(function*() {
      const { args, env, isCancelled, left } = yield* busy
      const { child, ended, seen } = yield* Command.start(["chat", "sleep", "--json", ...args], { env })
      yield* untilSeen(() => seen.stdout.includes("\"tool-call\""))
      child.kill("SIGTERM")
      yield* untilSeen(isCancelled)
      const exit = yield* Effect.promise(() => ended)
      assert.strictEqual(exit.code, 143, exit.stderr)
      const parts = partsOf(exit.stdout)
      assert.include(parts.at(-2), { type: "tool-result", isError: true })
      assert.include(parts.at(-1), { type: "finish", reason: "stopped" })
      assert.isTrue(parts.every(({ seq }, index) => seq === index + 1))
      assert.strictEqual(yield* left, 0)
    }))

  it.live("ends a single message's turn on the first Ctrl-C, its tool cancelled, and hurries on the second", () =>
    Effect.gen(function*() {
      const { args, env, isCancelled, left } = yield* busy
      const running = yield* Command.start(["chat", "sleep", ...args], { env })
      yield* untilSeen(() => running.seen.stderr.includes("→ slow_sleep"))
      running.child.kill("SIGINT")
      yield* untilSeen(isCancelled)
      const exit = yield* hurried(running)
      assert.strictEqual(exit.code, 130, exit.stderr)
      assert.match(exit.stderr, /stopped/)
      assert.strictEqual(yield* left, 0)
    }))
})

describe("boocode chat and its chats", Deadline.TEST, () => {
  it.live("keeps its chat in the file of the state folder, for the next server", () =>
    Effect.gen(function*() {
      const place = yield* Command.folder({ "data/mcp.json": "{}" })
      const env = { BOOCODE_STATE_DIR: join(place, "state") }
      const { code, stderr } = yield* AppCommand.run(["chat", "--data", join(place, "data"), "hello there"], { env })
      assert.strictEqual(code, 0, stderr)
      const file = join(place, "state", "chats.sqlite")
      const search = ChatStore.use((store) => store.search(FIRST.id, "hello", 5))
      const [found] = yield* Effect.provide(search, StoreFile.layer(file))
      assert.strictEqual(found?.excerpt, "hello there")
    }))

  it.live("answers all the same where nothing can be kept, and says so", () =>
    Effect.gen(function*() {
      const place = yield* Command.folder({ "data/mcp.json": "{}", "file": "in the way" })
      const env = { BOOCODE_STATE_DIR: join(place, "file", "state") }
      const { code, stderr, stdout } = yield* AppCommand.run(["chat", "--data", join(place, "data"), "/"], { env })
      assert.strictEqual(code, 0, stderr)
      assert.match(stderr, /not kept.*state/)
      assert.notStrictEqual(stdout, "")
    }))
})
