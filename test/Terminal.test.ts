/** `boocode chat` as a person in a terminal has it: prompts, questions, Ctrl-C, and what is pasted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import { untilSeen } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Png from "./support/Png.ts"
import * as Processes from "./support/Processes.ts"
import * as Pty from "./support/Pty.ts"

const MARK = "BOOCODE_TERMINAL_TEST"
const CTRL_C = "\x03"
const CTRL_D = "\x04"
const QUESTION = "[1] once  [2] this chat  [h] an hour  [3] always  [n] no  [e] edit: "
const write = (text: string) => `call ledger_write ${JSON.stringify({ text })}`
const wait = (text: string) => `call patient_wait ${JSON.stringify({ text, millis: 60_000 })}`

/** A data folder with these servers, of which `ledger` asks before `write` and `patient` waits, and a scripted model. */
const place = Effect.fnUntraced(function*(...names: ReadonlyArray<"ledger" | "modern" | "patient">) {
  const mark = randomUUID()
  const ledger = join(yield* Command.folder({}), "ledger.txt")
  const env = { ...Command.COMPILED, [MARK]: mark }
  const entries = {
    ledger: { ...FixtureServer.entry("Ledger", ledger), ask: ["write"], env },
    patient: { ...FixtureServer.entry("Patient", ledger), env },
    modern: { ...FixtureServer.entry("ModernOffers"), env }
  }
  const mcpServers = Object.fromEntries(names.map((name) => [name, entries[name]]))
  const folder = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers }),
    "data/settings.json": JSON.stringify({ titles: "message" })
  })
  const model = yield* ModelServer.make(ModelServer.echo)
  const options = { env: { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_STATE_DIR: join(folder, "state"), ...env } }
  const args = ["--data", join(folder, "data"), "--model", "openai/scripted"]
  return {
    folder,
    model,
    env: options.env,
    /** What happened at the servers. */
    calls: () => existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [],
    chat: Object.assign(
      (...words: ReadonlyArray<string>) => Pty.start(["chat", ...words, ...args], options),
      {
        at: (columns: number, rows: number) => (...words: ReadonlyArray<string>) =>
          Pty.start(["chat", ...words, ...args], { ...options, columns, rows })
      }
    ),
    run: (...words: ReadonlyArray<string>) => AppCommand.run(["chat", ...words, ...args], options),
    begin: (...words: ReadonlyArray<string>) => Command.start(["chat", ...words, ...args], options),
    nothingLeft: Effect.map(
      Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS),
      (left) => assert.deepStrictEqual(left, [])
    )
  }
})

describe("boocode chat in a terminal", Deadline.TEST, () => {
  it.live(
    "asks before a call: once, for this chat, always, or no with a reason that the model reads",
    () =>
      Effect.gen(function*() {
        const { calls, chat, nothingLeft } = yield* place("ledger")
        const terminal = yield* chat("-i")
        const says = (words: string) => Effect.andThen(terminal.prompts, terminal.types(`${words}\r`))
        yield* says(write("one"))
        yield* terminal.shows("ledger_write asks for your yes (write of ledger, reads)")
        yield* terminal.shows("text  one")
        yield* terminal.shows("its server says that it only reads; nothing proves it")
        yield* terminal.shows(QUESTION)
        assert.deepStrictEqual(calls(), [])
        yield* terminal.types("what?\r")
        yield* terminal.shows(QUESTION)
        yield* terminal.types("n\r")
        yield* terminal.shows("why?")
        yield* terminal.types("<b>not</b> today\r")
        yield* terminal.shows("ledger_write was not called: the person who was asked said no:")
        yield* says(write("two"))
        yield* terminal.shows(QUESTION)
        yield* terminal.types("y\r")
        yield* says(write("three"))
        yield* terminal.shows(QUESTION)
        yield* terminal.types("c\r")
        yield* says(write("four"))
        yield* says("/new")
        yield* says(write("five"))
        yield* terminal.shows(QUESTION)
        yield* terminal.types("a\r")
        yield* terminal.prompts
        yield* terminal.types(CTRL_D)
        assert.strictEqual(yield* terminal.exitCode, 0)
        const later = yield* chat(write("six"))
        assert.strictEqual(yield* later.exitCode, 0)
        assert.notInclude(later.screen(), QUESTION)
        assert.deepStrictEqual(calls(), ["two", "three", "four", "five", "six"].map((text) => `write ${text}`))
        yield* nothingLeft
      })
  )

  it.live("Ctrl-D during an answer leaves after it", () =>
    Effect.gen(function*() {
      const { calls, chat, nothingLeft } = yield* place("ledger")
      const terminal = yield* chat("-i")
      yield* Effect.andThen(terminal.prompts, terminal.types(`${write("one")}\r`))
      yield* terminal.shows(QUESTION)
      yield* terminal.types(`y\r${CTRL_D}`)
      assert.strictEqual(yield* terminal.exitCode, 0)
      assert.deepStrictEqual(calls(), ["write one"])
      yield* nothingLeft
    }))

  it.live("R97: Ctrl-C stops the turn, also in a question, and a second one leaves", () =>
    Effect.gen(function*() {
      const { calls, chat, nothingLeft } = yield* place("ledger", "patient")
      const terminal = yield* chat("-i", wait("long"))
      yield* terminal.shows("Wait  long")
      yield* untilSeen(() => calls().includes("begins long"))
      yield* terminal.types(CTRL_C)
      yield* terminal.shows("stopped")
      yield* terminal.prompts
      yield* untilSeen(() => calls().includes("cancelled long"))
      yield* terminal.types(`${write("never")}\r`)
      yield* terminal.shows(QUESTION)
      yield* terminal.types(CTRL_C)
      yield* untilSeen(() => terminal.screen().includes("\n  – Write  never  not done"))
      yield* terminal.shows("stopped")
      yield* terminal.prompts
      yield* terminal.types("still there?\r")
      yield* terminal.shows("You said: still there?")
      yield* terminal.prompts
      yield* terminal.types(CTRL_C)
      assert.strictEqual(yield* terminal.exitCode, 130)
      assert.deepStrictEqual(calls(), ["begins long", "cancelled long"])
      yield* nothingLeft
    }))

  it.live("lets a person type while it answers, in 80 columns: it waits, and nothing mixes", () =>
    Effect.gen(function*() {
      const { chat, model, nothingLeft } = yield* place("patient")
      const terminal = yield* chat.at(80, 24)("-i")
      yield* terminal.shows("BooCode  Assistant · openai/scripted · 1 server, 1 tool · /help")
      yield* terminal.prompts
      yield* terminal.types(`call patient_wait ${JSON.stringify({ text: "a moment", millis: 3000 })}\r`)
      yield* terminal.shows("Wait  a moment")
      yield* terminal.types("and the next one\r")
      yield* terminal.shows("  waits: and the next one\n>")
      yield* terminal.types("half a")
      yield* terminal.shows("You said: and the next one")
      yield* untilSeen(() => terminal.screen().endsWith("\n> half a"))
      yield* untilSeen(() => !/ \d+ s$/m.test(terminal.screen()))
      const rows = terminal.screen().split("\n").filter((row) => row !== "")
      const asked = rows.findIndex((row) => row.startsWith("> call patient_wait"))
      const next = rows.indexOf("> and the next one")
      assert.isTrue(asked > 0 && next > asked)
      const [price = "", ...last] = rows.slice(next + 2)
      assert.deepStrictEqual([...rows.slice(next, next + 2), ...last], [
        "> and the next one",
        "  You said: and the next one",
        "> half a"
      ])
      assert.match(price, /^ {2}\S+ tokens in, \d+ out; the price is not known$/)
      assert.notInclude(terminal.screen(), "waits:")
      assert.strictEqual(terminal.screen().match(/a moment/g)?.length, 3, terminal.screen())
      yield* terminal.types(" word\r")
      yield* terminal.shows("You said: half a word")
      yield* terminal.types(CTRL_D)
      assert.strictEqual(yield* terminal.exitCode, 0)
      assert.lengthOf(model.requests, 4)
      yield* nothingLeft
    }))

  it.live("has a running server keep what is typed while it answers, where the page can see it", () =>
    Effect.gen(function*() {
      const { chat, env, folder, nothingLeft } = yield* place("patient")
      yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* AppServer.start(join(folder, "data"), env, { model: "openai/scripted" })
        const terminal = yield* chat("-i")
        yield* terminal.prompts
        yield* terminal.types(`call patient_wait ${JSON.stringify({ text: "a moment", millis: 250_000 })}\r`)
        yield* terminal.shows("Wait  a moment")
        yield* terminal.types("and the next one\r")
        yield* terminal.shows("  waits: and the next one")
        const { chats } = (yield* server.get("/api/chats")).body
        const { id } = Object(Array.isArray(chats) ? chats[0] : null)
        const waiting = Effect.map(server.get(`/api/chats/${id}`), ({ body: { turns } }) => Object(turns)[1])
        const queued = yield* Effect.repeat(waiting, {
          until: (turn) => turn !== undefined,
          schedule: Schedule.spaced("50 millis")
        })
        assert.deepInclude(queued, { text: "and the next one", state: "waiting" })
        yield* server.post(`/api/chats/${id}/stop`, {})
        yield* terminal.shows("> and the next one")
        yield* terminal.shows("You said: and the next one")
        yield* terminal.prompts
        assert.notInclude(terminal.screen(), "waits:")
        yield* terminal.types(CTRL_D)
        assert.strictEqual(yield* terminal.exitCode, 0)
        assert.strictEqual(terminal.screen().match(/You said: and the next one/g)?.length, 1)
      }))
      yield* nothingLeft
    }))

  it.live("keeps what was typed for the next conversation, readable for its owner alone, and completes with Tab", () =>
    Effect.gen(function*() {
      const { chat, folder, nothingLeft } = yield* place("ledger")
      const first = yield* chat("-i")
      for (const words of ["one of these", " a secret", "/exit"]) {
        yield* first.prompts
        yield* first.types(`${words}\r`)
      }
      assert.strictEqual(yield* first.exitCode, 0)
      const file = join(folder, "state", "history")
      assert.strictEqual(readFileSync(file, "utf8"), "one of these\n/exit\n")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const second = yield* chat("-i")
      yield* second.prompts
      yield* second.types("\x1b[A")
      yield* untilSeen(() => second.screen().endsWith("> /exit"))
      yield* second.types("\x1b[A")
      yield* untilSeen(() => second.screen().endsWith("> one of these"))
      yield* second.types(CTRL_C)
      yield* untilSeen(() => second.screen().endsWith("\n>"))
      yield* second.types("/ledger_w")
      yield* second.types("\t")
      yield* untilSeen(() => second.screen().endsWith("> /ledger_write"))
      yield* second.types(CTRL_C)
      yield* second.types("/co")
      yield* second.types("\t")
      yield* untilSeen(() => second.screen().endsWith("> /cost"))
      yield* second.types("\r")
      yield* second.shows("nothing was used so far")
      yield* second.types(CTRL_D)
      assert.strictEqual(yield* second.exitCode, 0)
      yield* nothingLeft
    }))

  it.live("asks about a server of a project that waits for approval, and starts it once", () =>
    Effect.gen(function*() {
      const { folder } = yield* place()
      yield* Effect.promise(() => mkdir(join(folder, "repo", ".git"), { recursive: true }))
      const mcpServers = { theirs: FixtureServer.entry("Echo") }
      yield* Effect.promise(() => writeFile(join(folder, "repo", ".mcp.json"), JSON.stringify({ mcpServers })))
      const options = { cwd: join(folder, "repo"), columns: 80, env: { BOOCODE_STATE_DIR: join(folder, "state") } }
      const list = Pty.start(["mcp", "list", "--data", join(folder, "data")], options)
      const terminal = yield* list
      yield* terminal.shows("? theirs of")
      yield* terminal.shows("wants to start")
      yield* terminal.shows("[1] once  [2] always  [n] no  [v] never  [d] details:")
      yield* terminal.types("1\r")
      yield* terminal.shows("theirs  ready")
      assert.strictEqual(yield* terminal.exitCode, 0)
      const again = yield* list
      yield* again.shows("[1] once")
      yield* again.types("v\r")
      yield* again.shows("theirs  rejected")
      assert.strictEqual(yield* again.exitCode, 0)
    }))

  it.live("takes pasted lines for one message, and earlier ones back with an arrow key", () =>
    Effect.gen(function*() {
      const { chat, model, nothingLeft } = yield* place()
      const terminal = yield* chat("-i")
      yield* terminal.prompts
      yield* terminal.types("the first\r")
      yield* terminal.shows("You said: the first")
      yield* terminal.prompts
      yield* terminal.types("\x1b[200~one\rtwo\x1b[201~\r")
      yield* terminal.shows("You said: one two")
      yield* terminal.prompts
      yield* terminal.types("\x1b[A\r")
      yield* terminal.shows("You said: the first")
      yield* terminal.prompts
      yield* terminal.types(CTRL_D)
      assert.strictEqual(yield* terminal.exitCode, 0)
      assert.lengthOf(model.requests, 3)
      yield* nothingLeft
    }))
})

describe("boocode chat with what servers and files bring", Deadline.TEST, () => {
  it.live("says what a server makes of a prompt, and what is wrong with its arguments", () =>
    Effect.gen(function*() {
      const { chat, nothingLeft } = yield* place("modern")
      const prompt = "/modern:review {\"path\":\"a.md\"}"
      const terminal = yield* chat("-i")
      yield* terminal.prompts
      yield* terminal.types("/modern:review {\r")
      yield* terminal.shows("bad arguments for review")
      yield* terminal.prompts
      yield* terminal.types(`${prompt}\r`)
      yield* terminal.shows("You said: Review a.md.")
      yield* terminal.prompts
      yield* terminal.types(CTRL_D)
      assert.strictEqual(yield* terminal.exitCode, 0)
      yield* nothingLeft
    }))

  it.live("gives the model an image of --image, and keeps it for --continue", () =>
    Effect.gen(function*() {
      const { folder, model, nothingLeft, run } = yield* place()
      const file = join(folder, "picture.png")
      yield* Effect.promise(() => writeFile(file, Png.gradient(20, 10)))
      const seen = () => JSON.stringify(model.requests.at(-1)?.body).split("data:image/png;base64,").length - 1
      assert.strictEqual((yield* run("what is it?", "--image", file)).code, 0)
      assert.strictEqual(seen(), 1)
      assert.strictEqual((yield* run("and now?", "--continue")).code, 0)
      assert.strictEqual(seen(), 1)
      yield* nothingLeft
    }))

  it.live("stops the turn when the reader of its output goes away", () =>
    Effect.gen(function*() {
      const { begin, calls, model, nothingLeft } = yield* place("patient")
      model.answer(({ results }) =>
        results.length > 0
          ? [ModelServer.text("Never.")]
          : [ModelServer.text("A moment."), ModelServer.call("patient_wait", { text: "long", millis: 60_000 })]
      )
      const { child, ended } = yield* begin("go", "--json")
      child.stdout?.once("data", () => child.stdout?.destroy())
      const { code, signal } = yield* Effect.promise(() => ended).pipe(Effect.timeout(Deadline.WAIT_MILLIS))
      assert.deepStrictEqual([code, signal], [130, null])
      assert.deepStrictEqual(calls().filter((line) => line.startsWith("ends")), [])
      yield* nothingLeft
    }))
})
