/** What is tried with the servers of the interop matrix, through the registry only. */
import type { Asker, McpRegistry, McpTool } from "@boocode/mcp-registry"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Offers from "../servers/interop/Offers.ts"
import * as Deadline from "../support/Deadline.ts"
import { type Cell, type Row, serverOf } from "./Rows.ts"

type Registry = McpRegistry["Service"]

/** Fails with what is not as it should be. */
type Try = (registry: Registry, row: Row) => Effect.Effect<unknown, unknown>

/** The folder that servers are told of. */
export const ROOT = pathToFileURL(realpathSync(tmpdir())).href

/** What the model says to every server that asks. */
export const WORDS = "boo"

/** What the person answers to every server that asks; the age is left to the form's default. */
export const asker: Asker = {
  elicit: (request) =>
    Effect.succeed(
      request.kind === "form"
        ? { action: "accept", content: { name: "Ada" } }
        : request.url === Offers.PAGE
        ? { action: "accept", content: null }
        : { action: "decline" }
    ),
  sample: ({ messages }) =>
    Effect.succeed({
      model: "interop",
      text: JSON.stringify(messages).includes("Say boo") ? WORDS : "?",
      stopReason: "endTurn"
    })
}

const LIMIT = Deadline.WAIT_MILLIS

/** Tries again until it holds. */
const eventually = <A, E>(check: Effect.Effect<A, E>) =>
  // An assertion that does not hold yet is a defect.
  check.pipe(Effect.sandbox, Effect.retry(Schedule.spaced("50 millis")), Effect.timeout(LIMIT), Effect.orDie)

const call = (registry: Registry, row: Row, tool: string, args: Schema.JsonObject = {}) =>
  Effect.flatMap(toolOf(registry, row, tool), (found) => registry.callTool(found, args, { asker }))

const toolOf = (registry: Registry, row: Row, tool: string): Effect.Effect<McpTool> =>
  Effect.map(registry.tools, (tools) => {
    const found = tools.find((one) => one.server === serverOf(row) && one.tool === tool)
    return found ?? assert.fail(`no tool ${tool} among ${toolsOf(tools, row).join()}`)
  })

const toolsOf = (tools: ReadonlyArray<McpTool>, row: Row) =>
  tools.filter(({ server }) => server === serverOf(row)).map(({ tool }) => tool)

const said = (registry: Registry, row: Row, tool: string, args?: Schema.JsonObject) =>
  Effect.map(call(registry, row, tool, args), ({ content, isError }) => {
    const text = content.map((block) => String(block["text"] ?? "")).join("")
    return isError ? assert.fail(`${tool}: ${text}`) : text
  })

const connect: Try = (registry, row) =>
  Effect.map(registry.server(serverOf(row)), ({ error, protocolVersion, state, transport }) => {
    const expected = { stdio: "stdio", "streamable HTTP": "streamableHttp", SSE: "sse" }[row.transport]
    assert.deepStrictEqual([state, protocolVersion, transport], ["ready", row.revision, expected], error?.message)
  })

const lists = (...expected: ReadonlyArray<string>): Try => (registry, row) =>
  eventually(Effect.map(registry.tools, (tools) => assert.includeMembers(toolsOf(tools, row), [...expected])))

const says = (tool: string, args: Schema.JsonObject, expected: string): Try => (registry, row) =>
  Effect.map(said(registry, row, tool, args), (text) => assert.include(text, expected))

/** The server is told, and the caller does not wait for it. */
const cancel: Try = Effect.fnUntraced(function*(registry, row) {
  const { begun, cancelled } = yield* waits(registry, row)
  yield* interrupted(
    registry,
    row,
    "wait",
    {},
    eventually(Effect.map(waits(registry, row), (now) => assert.isAbove(now.begun, begun)))
  )
  yield* eventually(Effect.map(waits(registry, row), (now) => assert.isAbove(now.cancelled, cancelled)))
})

/** How many of its long calls a server has begun, and how many it was told to give up. */
const waits = (registry: Registry, row: Row) =>
  Effect.map(said(registry, row, "cancelled"), (text) => {
    const [cancelled = 0, begun = 0] = text.split(" of ").map(Number)
    return { begun, cancelled }
  })

/** Interrupts a call once it is under way; it would last for longer than the caller is ready to wait. */
const interrupted = Effect.fnUntraced(function*(
  registry: Registry,
  row: Row,
  tool: string,
  args: Schema.JsonObject,
  underWay: Effect.Effect<unknown>
) {
  const waiting = yield* Effect.forkChild(call(registry, row, tool, args))
  yield* underWay
  const asked = Date.now()
  yield* Fiber.interrupt(waiting)
  assert.isBelow(Date.now() - asked, Deadline.late(1000))
})

const progresses = (tool: string, args: Schema.JsonObject, expected: ReadonlyArray<number>): Try =>
  Effect.fnUntraced(function*(registry, row) {
    const seen: Array<number> = []
    const found = yield* toolOf(registry, row, tool)
    yield* registry.callTool(found, args, {
      onProgress: ({ progress }) => Effect.sync(() => void seen.push(progress))
    })
    assert.deepStrictEqual(seen, expected)
  })

const grows: Try = Effect.fnUntraced(function*(registry, row) {
  const name = yield* said(registry, row, "grow")
  yield* lists(name)(registry, row)
})

const prompts = (name: string, args: Schema.JsonObject, expected: string): Try =>
  Effect.fnUntraced(function*(registry, row) {
    const { prompts } = yield* registry.prompts(serverOf(row))
    assert.include(prompts.map((prompt) => prompt.name), name)
    const { messages } = yield* registry.prompt(serverOf(row), name, args)
    assert.include(JSON.stringify(messages), expected)
  })

const resources: Try = Effect.fnUntraced(function*(registry, row) {
  const { resources, templates } = yield* registry.resources(serverOf(row))
  assert.deepStrictEqual(resources.map(({ uri }) => uri), [Offers.NOTES])
  assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["memo://{day}/plan"])
  assert.match((yield* registry.readResource(serverOf(row), Offers.NOTES))[0]?.text ?? "", /Buy milk/)
  assert.strictEqual((yield* registry.readResource(serverOf(row), "memo://may/plan"))[0]?.text, Offers.plan("may"))
})

const anyResources: Try = Effect.fnUntraced(function*(registry, row) {
  const { resources } = yield* registry.resources(serverOf(row))
  assert.isAbove(resources.length, 0)
  const [document] = yield* registry.readResource(serverOf(row), resources[0]?.uri ?? "")
  assert.isAbove(document?.text?.length ?? 0, 10)
})

/** Until the first update there may be one more than there were changes: something may have been missed. */
const subscribe: Try = Effect.fnUntraced(function*(registry, row) {
  const updates = yield* registry.watchResource(serverOf(row), Offers.NOTES).pipe(
    Stream.take(1),
    Stream.runCollect,
    Effect.forkChild({ startImmediately: true })
  )
  const touching = said(registry, row, "touch").pipe(Effect.delay("300 millis"), Effect.forever)
  const [update] = yield* Effect.raceFirst(Fiber.join(updates), touching).pipe(Effect.timeout(LIMIT))
  assert.strictEqual(update?.uri, Offers.NOTES, "no update came")
})

const completes = (prompt: string, argument: string, value: string, expected: string): Try => (registry, row) =>
  Effect.map(
    registry.complete(serverOf(row), {
      ref: { type: "ref/prompt", name: prompt },
      argument: { name: argument, value }
    }),
    ({ values }) => assert.deepStrictEqual(values, [expected])
  )

/** Levels are kept by the server; the registry asks for `info` and up until told otherwise. */
const logging: Try = Effect.fnUntraced(function*(registry, row) {
  const texts = Effect.map(
    registry.log(serverOf(row)),
    (lines) => lines.filter(({ kind, logger }) => kind === "message" && logger === "interop").map(({ text }) => text)
  )
  yield* said(registry, row, "log")
  yield* eventually(Effect.map(texts, (found) => assert.deepStrictEqual(found, ["a word"])))
  yield* registry.setLogLevel(serverOf(row), "debug")
  yield* said(registry, row, "log")
  yield* eventually(Effect.map(texts, (found) => assert.deepStrictEqual(found, ["a word", "a whisper", "a word"])))
})

const anyMessage: Try = (registry, row) =>
  eventually(
    Effect.map(registry.log(serverOf(row)), (lines) => assert.isTrue(lines.some(({ kind }) => kind === "message")))
  )

const instructs = (expected: string): Try => (registry, row) =>
  Effect.map(registry.server(serverOf(row)), ({ instructions }) => assert.include(instructions ?? "", expected))

type Tries = Readonly<Partial<Record<Cell, Try>>>

const LONG = "trigger-long-running-operation"

const TRIES: Readonly<Record<Row["kind"], Tries>> = {
  ours: {
    list: lists("echo", "count", "wait"),
    call: says("echo", { text: "boo" }, "boo"),
    cancel,
    progress: progresses("count", {}, [...Offers.STEPS]),
    list_changed: grows,
    prompts: prompts("review", { path: "pear.md" }, Offers.review("pear.md")),
    resources,
    subscribe,
    completion: completes("review", "path", "p", "pear.md"),
    form: says("ask", {}, JSON.stringify({ action: "accept", content: { name: "Ada", age: 30 } })),
    url: says("visit", {}, JSON.stringify({ action: "accept" })),
    sampling: says("sample", {}, WORDS),
    roots: says("roots", {}, ROOT),
    logging,
    instructions: instructs(Offers.INSTRUCTIONS)
  },
  everything: {
    list: lists("echo", "get-sum"),
    call: says("echo", { message: "boo" }, "boo"),
    // It does not say what it has begun.
    cancel: (registry, row) => interrupted(registry, row, LONG, { duration: 50, steps: 2 }, Effect.sleep("300 millis")),
    progress: progresses(LONG, { duration: 0.3, steps: 3 }, [1, 2, 3]),
    // It offers that tool once it has seen that roots are declared, which is after the first list.
    list_changed: lists("get-roots-list"),
    prompts: prompts("args-prompt", { city: "Graz", state: "Styria" }, "Graz, Styria"),
    resources: anyResources,
    completion: completes("completable-prompt", "department", "E", "Engineering"),
    roots: says("get-roots-list", {}, ROOT),
    logging: anyMessage,
    instructions: instructs("Everything Server")
  },
  filesystem: {
    list: lists("read_text_file", "list_allowed_directories"),
    call: says("list_allowed_directories", {}, "directories"),
    // It serves the folders that it is told of.
    roots: (registry, row) => eventually(says("list_allowed_directories", {}, fileURLToPath(ROOT))(registry, row))
  },
  memory: { list: lists("read_graph"), call: says("read_graph", {}, "entities"), resources: anyResources },
  context7: { list: lists("resolve-library-id", "query-docs"), instructions: instructs("documentation") }
}

/** What is tried for a cell; null where the row says why not. */
export const attempt = (row: Row, cell: Cell): Try | null =>
  row.lacks[cell] === undefined ? { connect, ...TRIES[row.kind] }[cell] ?? null : null
