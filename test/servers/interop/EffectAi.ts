/** A server made with effect/ai, which serves 2026-07-28 and 2025-11-25: over its pipes, or with `http` over HTTP. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import * as Offers from "./Offers.ts"

const text = (text: string) =>
  new McpSchema.CallToolResult({ content: [McpSchema.TextContent.make({ text })], isError: false })

type Handle = (
  args: Readonly<Record<string, unknown>>
) => Effect.Effect<McpSchema.CallToolResult | McpSchema.InputRequired, never, McpSchema.McpRequestContext>

const tool = (name: string, handle: Handle, properties: Schema.JsonObject = {}) =>
  Effect.flatMap(McpServer.McpServer, (server) =>
    server.addTool({
      tool: new McpSchema.Tool({ name, inputSchema: { type: "object", properties } }),
      annotations: Context.empty(),
      handle
    }))

const offers = Layer.mergeAll(
  McpServer.prompt({
    name: "review",
    description: "Reviews a file",
    parameters: { path: Schema.String },
    completion: { path: (typed) => Effect.succeed(Offers.paths(typed)) },
    content: ({ path }) => Effect.succeed(Offers.review(path))
  }),
  McpServer.resource({
    uri: Offers.NOTES,
    name: "notes",
    mimeType: "text/plain",
    content: Effect.sync(() => Offers.notes())
  }),
  McpServer.resource`memo://${McpSchema.param("day", Schema.String)}/plan`({
    name: "plan",
    content: (_, day) => Effect.succeed(Offers.plan(day))
  })
)

const calls = Layer.effectDiscard(Effect.gen(function*() {
  const { notifications } = yield* McpServer.McpServer
  yield* tool("echo", ({ text: given }) => Effect.succeed(text(String(given))), { text: { type: "string" } })
  yield* tool("count", () =>
    Effect.gen(function*() {
      const { requestMetadata } = yield* McpSchema.McpRequestContext
      const token: unknown = Reflect.get(Object(requestMetadata), "progressToken")
      if (typeof token !== "string" && typeof token !== "number") return text("nobody counts")
      yield* Effect.forEach(Offers.STEPS, (progress) =>
        notifications["notifications/progress"]({
          progressToken: token,
          progress,
          total: 3,
          message: `step ${progress}`
        }))
      return text("counted")
    }))
  yield* tool("wait", () =>
    Effect.suspend(() => {
      Offers.counters.begun += 1
      return Effect.sleep(Offers.WAIT_MILLIS)
    }).pipe(
      Effect.as(text("waited")),
      Effect.onInterrupt(() => Effect.sync(() => void (Offers.counters.cancelled += 1)))
    ))
  yield* tool("cancelled", () => Effect.sync(() => text(Offers.cancelled())))
  const server = yield* McpServer.McpServer
  yield* tool("grow", () =>
    Effect.suspend(() => {
      const name = Offers.nameOfNext()
      return tool(name, () => Effect.succeed(text("grown"))).pipe(
        Effect.provideService(McpServer.McpServer, server),
        Effect.as(text(name))
      )
    }))
  yield* tool("touch", () =>
    Effect.suspend(() => {
      Offers.counters.touched += 1
      return Effect.as(notifications["notifications/resources/updated"]({ uri: Offers.NOTES }), text("touched"))
    }))
  yield* tool("log", () =>
    Effect.gen(function*() {
      yield* notifications["notifications/message"]({ level: "debug", logger: "interop", data: "a whisper" })
      yield* notifications["notifications/message"]({ level: "warning", logger: "interop", data: "a word" })
      return text("logged")
    }))
}))

/** Asks by a request of its own before 2026-07-28, and from then on by an answer that wants input. */
const asked = (
  now: (client: McpSchema.McpReverseClient) => Effect.Effect<object, unknown>,
  later: McpSchema.McpInputRequest,
  show: (answer: object) => unknown
): Handle =>
() =>
  Effect.gen(function*() {
    const { inputResponses } = yield* McpSchema.McpRequestContext
    const session = yield* Effect.serviceOption(McpSchema.McpServerClient)
    if (Option.isSome(session)) {
      return yield* Effect.flatMap(session.value.getClient, now).pipe(
        Effect.map((answer) => text(JSON.stringify(show(answer)))),
        Effect.catch((error) => Effect.succeed(text(`not asked: ${String(error)}`))),
        Effect.scoped
      )
    }
    const answer = inputResponses?.["it"]
    return answer === undefined
      ? new McpSchema.InputRequired({ inputRequests: { it: later } })
      : text(JSON.stringify(show(answer)))
  })

const of = (answer: object, name: string): unknown => Reflect.get(answer, name)

const form = { mode: "form" as const, ...Offers.FORM }
const page = { mode: "url" as const, message: "Sign in", url: Offers.PAGE, elicitationId: "it" }
const words = (answer: object) => of(Object(of(answer, "content")), "text")
const uris = (answer: object) => Object(of(answer, "roots")).map((root: object) => of(root, "uri"))

const questions = Layer.effectDiscard(Effect.gen(function*() {
  yield* tool(
    "ask",
    asked((client) => client.elicit(new McpSchema.ElicitRequestFormParams(form)), {
      method: "elicitation/create",
      params: form
    }, (answer) => ({
      action: of(answer, "action"),
      content: of(answer, "content")
    }))
  )
  yield* tool(
    "visit",
    asked((client) => client.elicit(new McpSchema.ElicitRequestURLParams(page)), {
      method: "elicitation/create",
      params: page
    }, (answer) => ({
      action: of(answer, "action")
    }))
  )
  yield* tool(
    "sample",
    asked(
      (client) => client.createMessage(Offers.SAMPLING),
      { method: "sampling/createMessage", params: Offers.SAMPLING },
      words
    )
  )
  yield* tool("roots", asked((client) => client.listRoots(), { method: "roots/list" }, uris))
}))

const options = {
  name: Offers.NAME,
  version: "4.1.0",
  instructions: Offers.INSTRUCTIONS,
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations: Layer.mergeAll(offers, calls, questions)
} as const

const overStdio = McpServer.layerStdio(options).pipe(Layer.provide(NodeStdio.layer))

const announced = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) =>
    Effect.sync(() => void process.stdout.write(`${new URL(address).port}\n`))
  )
)

const overHttp = HttpRouter.serve(
  McpServer.layerHttp({ ...options, path: "/mcp", allowSessionTermination: true }),
  { disableLogger: true, disableListenLog: true }
).pipe(
  Layer.merge(announced),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
)

const server = process.argv[2] === "http" ? overHttp : overStdio

NodeRuntime.runMain(Effect.provideService(Layer.launch(server), Logger.LogToStderr, true))
