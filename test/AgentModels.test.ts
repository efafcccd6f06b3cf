import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { assert, describe, layer } from "@effect/vitest"
import { generateText, streamText } from "ai"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import OpenAI from "openai"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Png from "./support/Png.ts"
import * as RawRequest from "./support/RawRequest.ts"

const LIMIT = 60_000
const TOKEN = "a-token-of-some-length"

/** `look` and `write` call tools of the ledger, `wait` answers slowly, `fail` breaks, and all else is said again. */
const script: ModelServer.Script = ({ results, system, text }) => {
  const [result] = results
  if (result !== undefined) return [ModelServer.text(`It says: ${result.text}`)]
  if (text === "look") {
    return [ModelServer.reasoning("I look."), ModelServer.text("Let me look."), ModelServer.call("ledger_look", {})]
  }
  if (text === "write") return [ModelServer.call("ledger_write", { text: "seven" })]
  if (text === "wait") return [ModelServer.text("One "), ModelServer.wait(LIMIT), ModelServer.text("two.")]
  if (text === "fail") return ModelServer.fail(400, "invalid_request_error", "I cannot read this")
  return [ModelServer.reasoning("Hm."), ModelServer.text(`${text} / `), ModelServer.text(system.replaceAll("\n", " "))]
}

class Stage extends Context.Service<Stage>()("test/AgentModelsStage", {
  make: Effect.gen(function*() {
    const folder = yield* Command.folder({})
    const ledger = join(folder, "ledger.txt")
    const entry = { ...FixtureServer.entry("Ledger", ledger), ask: ["write"], env: Command.COMPILED }
    const data = yield* Command.folder({
      "data/mcp.json": JSON.stringify({ mcpServers: { ledger: entry } }),
      "data/settings.json": JSON.stringify({ model: "openai/m", token: TOKEN, allowedHosts: ["chat.example"] }),
      "data/gateway.jsonc": JSON.stringify({ profiles: { look: { write: "off" }, part: { tools: ["ledger_look"] } } }),
      "data/AGENTS.md":
        "---\nname: Clerk\n---\nYou keep the ledger.\n---\nname: Poet\ntools: []\n---\nYou write verse.\n"
    })
    const model = yield* ModelServer.make(script)
    const server = yield* AppServer.start(join(data, "data"), { OPENAI_BASE_URL: `${model.url}/v1` })
    const authorized = { authorization: `Bearer ${TOKEN}` }
    const get = (path: string) =>
      Effect.promise(async () => Object(await (await fetch(`${server.url}${path}`, { headers: authorized })).json()))
    yield* ChatServer.until(get("/api/health"), ({ ready }) => ready === true)
    const post = (path: string, body: object) =>
      Effect.promise(() =>
        fetch(`${server.url}${path}`, {
          method: "POST",
          headers: { ...authorized, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      )
    const baseURL = `${server.url}/v1`
    return {
      model,
      server,
      get,
      post,
      calls: () => existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : [],
      chats: Effect.map(get("/api/chats"), ({ chats }): ReadonlyArray<Record<string, unknown>> => chats),
      openai: new OpenAI({ baseURL, apiKey: TOKEN }),
      aiSdk: createOpenAICompatible({ name: "boocode", baseURL, apiKey: TOKEN, includeUsage: true })
    }
  })
}) {
  static readonly layer = Layer.effect(Stage, Stage.make)
}

const user = (content: string) => [{ role: "user" as const, content }]

/** The error that a call of a client ends with. */
const failure = (call: () => Promise<unknown>) =>
  Effect.promise(async () => {
    try {
      await call()
    } catch (error) {
      return Object(error)
    }
    return assert.fail("it did not fail")
  })

describe("Agents as models of other applications", () => {
  layer(Stage.layer, { excludeTestServices: true, timeout: LIMIT })((it) => {
    it.effect("are listed to the official client, one by one too, and nothing else is", () =>
      Effect.gen(function*() {
        const { openai } = yield* Stage
        const names = yield* Effect.promise(async () => (await openai.models.list()).data.map(({ id }) => id))
        assert.deepStrictEqual(names, ["Clerk", "Poet"])
        const poet = yield* Effect.promise(() => openai.models.retrieve("Poet"))
        assert.strictEqual(poet.owned_by, "boocode")
        assert.strictEqual((yield* failure(() => openai.models.retrieve("gpt-5"))).status, 404)
      }))

    it.effect("answer the official client with the tools of their own servers, whole and streamed", () =>
      Effect.gen(function*() {
        const { chats, openai } = yield* Stage
        const whole = yield* Effect.promise(() =>
          openai.chat.completions.create({ model: "Clerk", messages: user("look") })
        )
        assert.match(whole.choices[0]?.message.content ?? "", /^Let me look\.\n\nIt says: [^]*look is done/)
        assert.strictEqual(whole.choices[0]?.finish_reason, "stop")
        assert.isAbove(whole.usage?.total_tokens ?? 0, 0)
        const streamed = yield* Effect.promise(async () => {
          const stream = openai.chat.completions.stream({
            model: "Clerk",
            messages: user("look"),
            stream_options: { include_usage: true }
          })
          return { final: await stream.finalChatCompletion(), usage: await stream.totalUsage() }
        })
        assert.deepStrictEqual(streamed.final.choices[0]?.message.content, whole.choices[0]?.message.content)
        assert.deepStrictEqual(streamed.usage.total_tokens, whole.usage?.total_tokens)
        assert.deepStrictEqual(yield* ChatServer.until(chats, (all) => all.length === 0), [])
      }))

    it.effect("know what was said before, see images, and read the client's system message beside their prompt", () =>
      Effect.gen(function*() {
        const { model, openai } = yield* Stage
        const url = `data:image/png;base64,${Png.gradient(2, 2).toString("base64")}`
        const { choices } = yield* Effect.promise(() =>
          openai.chat.completions.create({
            model: "Poet",
            messages: [
              { role: "system", content: "Speak like Goethe." },
              ...user("hello"),
              { role: "assistant", content: "Good day." },
              { role: "user", content: [{ type: "text", text: "who?" }, { type: "image_url", image_url: { url } }] }
            ]
          })
        )
        assert.match(choices[0]?.message.content ?? "", /^who\? \/ .*You write verse\. +Speak like Goethe\./)
        const sent = JSON.stringify(model.requests.at(-1)?.body)
        assert.match(sent, /hello.*Good day\..*image_url.*who\?/)
      }))

    it.effect("answer the AI SDK's provider, whole and streamed, with reasoning and usage", () =>
      Effect.gen(function*() {
        const { aiSdk } = yield* Stage
        const whole = yield* Effect.promise(() => generateText({ model: aiSdk("Clerk"), prompt: "look" }))
        assert.match(whole.text, /^Let me look\.\n\nIt says: [^]*look is done/)
        assert.match(whole.reasoningText ?? "", /Calls ledger_look\./)
        const streamed = yield* Effect.promise(async () => {
          const { finishReason, reasoningText, text, usage } = streamText({ model: aiSdk("Clerk"), prompt: "look" })
          return { text: await text, reasoning: await reasoningText, reason: await finishReason, usage: await usage }
        })
        assert.deepStrictEqual([streamed.text, streamed.reasoning, streamed.reason], [
          whole.text,
          whole.reasoningText,
          "stop"
        ])
        assert.strictEqual(streamed.usage.totalTokens, whole.usage.totalTokens)
      }))

    it.effect("stop with the client that goes, whole and streamed, and leave no chat behind", () =>
      Effect.gen(function*() {
        const { aiSdk, chats, model, openai } = yield* Stage
        const leave = Effect.fnUntraced(function*(ask: (signal: AbortSignal) => Promise<unknown>) {
          const before = model.requests.length
          const controller = new AbortController()
          const answer = yield* Effect.forkChild(failure(() => ask(controller.signal)))
          yield* ChatServer.until(Effect.sync(() => model.requests.length), (count) => count > before)
          controller.abort()
          yield* Fiber.join(answer)
          const last = model.requests.at(-1)
          assert.strictEqual(yield* Effect.promise(() => last?.ended ?? Promise.resolve("none")), "closed")
          assert.deepStrictEqual(yield* ChatServer.until(chats, (all) => all.length === 0), [])
        })
        const body = { model: "Clerk", messages: user("wait") }
        yield* leave((signal) => openai.chat.completions.create(body, { signal }))
        yield* leave((signal) => openai.chat.completions.stream(body, { signal }).finalChatCompletion())
        yield* leave((abortSignal) => generateText({ model: aiSdk("Clerk"), prompt: "wait", abortSignal }))
      }))

    it.effect("ask on the page before a call that needs a yes, and leave the chat of what they wrote", () =>
      Effect.gen(function*() {
        const { calls, chats, get, openai, post } = yield* Stage
        const create = () => openai.chat.completions.create({ model: "Clerk", messages: user("write") })
        const pending = Effect.map(
          get("/api/approvals"),
          ({ pending }): ReadonlyArray<{ readonly id: string; readonly chat: string }> => pending
        )
        const answer = Effect.fnUntraced(function*(decision: string) {
          const asked = yield* Effect.forkChild(Effect.promise(create))
          const [approval] = yield* ChatServer.until(pending, (all) => all.length > 0)
          const { chat = "", id = "" } = approval ?? {}
          const [shown] = yield* chats
          assert.deepStrictEqual([shown?.["id"], shown?.["folder"], shown?.["title"]], [
            chat,
            "Other applications",
            "write"
          ])
          yield* post(`/api/chats/${chat}/approvals/${id}`, { decision, reason: "not today" })
          return (yield* Fiber.join(asked)).choices[0]?.message.content ?? ""
        })
        assert.match(yield* answer("deny"), /ledger_write was not called: .*not today/)
        assert.deepStrictEqual(yield* chats, [])
        assert.match(yield* answer("once"), /write is done/)
        assert.include(calls(), "write seven")
      }))

    it.effect("stay as chats where the client says so", () =>
      Effect.gen(function*() {
        const { chats, openai } = yield* Stage
        const kept = Effect.map(chats, (all) => all.filter(({ title }) => title === "keep this").length)
        assert.strictEqual(yield* kept, 0)
        yield* Effect.promise(() =>
          openai.chat.completions.create({ model: "Clerk", messages: user("keep this"), store: true })
        )
        assert.strictEqual(yield* kept, 1)
      }))

    it.effect("refuse an unknown model, a bad body, tools of the client, a wrong token and a failing provider", () =>
      Effect.gen(function*() {
        const { aiSdk, model, openai, server } = yield* Stage
        const ask = (more: object, client = openai) =>
          failure(() => client.chat.completions.create({ model: "Clerk", messages: user("hi"), ...more }))
        const unknown = yield* ask({ model: "gpt-5" })
        assert.instanceOf(unknown, OpenAI.NotFoundError)
        assert.deepStrictEqual([unknown.code, unknown.param], ["model_not_found", "model"])
        assert.instanceOf(yield* ask({ messages: [] }), OpenAI.BadRequestError)
        const tools = [{ type: "function", function: { name: "x", parameters: {} } }]
        assert.match((yield* ask({ tools })).message, /own tools run on its server/)
        const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "no-token-of-this-server" })
        const wrong = yield* ask({}, stranger)
        assert.instanceOf(wrong, OpenAI.AuthenticationError)
        assert.strictEqual(wrong.code, "invalid_api_key")
        const before = model.requests.length
        const failed = yield* ask({ messages: user("fail") })
        assert.match(failed.message, /I cannot read this/)
        assert.strictEqual(model.requests.length, before + 1)
        const streamed = yield* failure(() =>
          openai.chat.completions.stream({ model: "Clerk", messages: user("fail") }).finalChatCompletion()
        )
        assert.match(streamed.message, /I cannot read this/)
        const aiFailed = yield* failure(() => generateText({ model: aiSdk("gpt-5"), prompt: "hi", maxRetries: 0 }))
        assert.match(aiFailed.message, /no agent is called gpt-5/)
      }))

    it.effect("open to the token of an MCP client, with the write mode of its profile, where that narrows no tools", () =>
      Effect.gen(function*() {
        const { chats, post, server } = yield* Stage
        const clientOf = Effect.fnUntraced(function*(profile: string) {
          const added = yield* post("/api/clients", { name: profile, profile })
          const apiKey = String(Object(yield* Effect.promise(() => added.json())).token)
          return { apiKey, openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 }) }
        })
        const look = yield* clientOf("look")
        const body = { model: "Clerk", messages: user("as a client"), store: true }
        const answered = yield* Effect.promise(() => look.openai.chat.completions.create(body))
        assert.match(answered.choices[0]?.message.content ?? "", /^as a client \//)
        const [kept] = (yield* chats).filter(({ title }) => title === "as a client")
        assert.deepStrictEqual(kept?.["write"], { mode: "off", until: null })
        const part = yield* clientOf("part")
        for (const ask of [() => part.openai.chat.completions.create(body), () => part.openai.models.list()]) {
          const refused = yield* failure(ask)
          assert.instanceOf(refused, OpenAI.PermissionDeniedError)
          assert.match(refused.message, /the profile part of part has some tools alone/)
        }
        for (const path of ["/api/chats", "/v1/none", "/v1/models/../../api/chats", "/mcp/../api/chats"]) {
          const headers = { authorization: `Bearer ${look.apiKey}` }
          assert.strictEqual((yield* RawRequest.ask(server.url, { headers, path })).status, 401, path)
        }
      }))
  })
})
