import { type Attachments, ChatDocument, ChatErrors, type Chats, ChatStoreFailed } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FileAnswers from "../../src/http/FileAnswers.ts"
import { json, open, post, text } from "../support/Scripted.ts"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** The server over chats of which a test changes some members. */
const over = (changes: Partial<typeof Chats.Service>) => open({ chats: changes })

describe("The chats over HTTP", () => {
  it.effect("hand on a message whole: what it replaces, its key, and its images by their bytes", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const request = yield* over({
        send: (_, message) =>
          Effect.sync(() => {
            sent.push({ ...message, attachments: message.attachments?.map(({ data, ...rest }) => [rest, data.length]) })
            return { turn: 9, queued: true, after: 0 }
          })
      })
      const message = {
        text: "again",
        prompt: [{ role: "assistant", text: "hi" }],
        replaces: 3,
        key: "k",
        attachments: [{ kind: "image", name: "a.png", data: PNG }]
      }
      const answer = yield* request("/api/chats/c1/messages", post(message))
      assert.deepStrictEqual([answer.status, yield* json(answer)], [202, { turn: 9, queued: true }])
      yield* request("/api/chats/c1/messages", post({ text: "plain" }))
      assert.deepStrictEqual(sent, [
        {
          text: "again",
          prompt: [{ role: "assistant", text: "hi" }],
          agent: null,
          model: null,
          replaces: 3,
          key: "k",
          attachments: [[{ kind: "image", name: "a.png", mediaType: "", server: null, uri: null }, 70]]
        },
        { text: "plain", prompt: null, agent: null, model: null, replaces: null, key: null, attachments: undefined }
      ])
    }))

  it.effect("send a prompt of a server as what the server makes of it", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const request = yield* over({
        send: (_, { prompt, text }) =>
          Effect.sync(() => {
            sent.push([text, prompt?.map(({ role }) => role) ?? null])
            return { turn: 1, queued: true, after: 0 }
          })
      })
      const send = (message: object) => request("/api/chats/c1/messages", post(message))
      const asked = "/files:review {\"path\": \"a.md\"}"
      assert.strictEqual((yield* send({ text: asked })).status, 202)
      assert.deepStrictEqual(sent.splice(0), [["Review a.md.", ["user"]]])
      yield* send({ text: "/files:review {\"path\": \"b.md\"}", replaces: 1 })
      yield* send({ text: asked, prompt: [] })
      assert.deepStrictEqual(sent.splice(0), [["Review b.md.", ["user"]], [asked, []]])
      const unknown = yield* send({ text: "/files:revue {}" })
      assert.strictEqual(unknown.status, 404)
      assert.deepInclude(yield* json(unknown), { _tag: "UnknownPrompt", nearest: ["review"] })
      const wrong = yield* send({ text: "/files:review {path" })
      assert.strictEqual(wrong.status, 400)
      assert.deepInclude(yield* json(wrong), { _tag: "InvalidArguments" })
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("call a tool by its name, whatever model the message names", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const request = yield* over({
        send: (_, { agent, model, text }) =>
          Effect.sync(() => ({ turn: sent.push([text, agent, model]), queued: true, after: 0 }))
      })
      const text = "/files_read {\"path\": \"a.md\"}"
      const answer = yield* request("/api/chats/c1/messages", post({ text, agent: "Ida", model: "openai/gpt-5" }))
      assert.strictEqual(answer.status, 202)
      yield* request("/api/chats/c1/messages", post({ text: "/view_file", agent: "Ida" }))
      assert.deepStrictEqual(sent, [[text, "Ida", "command"], ["/view_file", "Ida", "command"]])
      const denied = yield* request("/api/chats/c1/messages", post({ text }))
      assert.strictEqual(denied.status, 400)
      assert.deepInclude(yield* json(denied), { detail: "the agent Assistant may not use the tool files_read" })
    }))

  it.effect("refuse words after a slash that name nothing, with the nearest, and send paths as they are", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const request = yield* over({
        send: (_, { text }) => Effect.sync(() => ({ turn: sent.push(text), queued: true, after: 0 }))
      })
      for (
        const [text, nearest] of [
          ["/view_fiel {}", ["view_file"]],
          ["/filez:review {\"path\": \"a.md\"}", ["files:review"]],
          ["/xyzzy", []],
          ["/help me: {please}", []]
        ] as const
      ) {
        const refused = yield* request("/api/chats/c1/messages", post({ text }))
        assert.strictEqual(refused.status, 400, text)
        assert.deepInclude(yield* json(refused), { _tag: "UnknownCommand", nearest }, text)
      }
      assert.deepStrictEqual(sent, [])
      const texts = ["/usr/bin is where it is", "/notes.txt", "/ help"]
      for (const text of texts) {
        assert.strictEqual((yield* request("/api/chats/c1/messages", post({ text }))).status, 202, text)
      }
      assert.deepStrictEqual(sent, texts)
    }))

  it.effect("ask no server for a prompt or a resource when the chat is not there or the message was sent before", () =>
    Effect.gen(function*() {
      const request = yield* over({ send: () => Effect.die("must not be sent") })
      const attachments = [{ kind: "resource", server: "nobody", uri: "memo://a" }]
      for (const content of [{ text: "/files:revue" }, { text: "/nothing" }, { text: "x", attachments }]) {
        const strange = yield* request("/api/chats/c9/messages", post(content))
        assert.deepStrictEqual([strange.status, Object(yield* json(strange))._tag], [404, "UnknownChat"])
        const again = yield* request("/api/chats/c1/messages", post({ ...content, key: "sent" }))
        assert.deepStrictEqual([again.status, yield* json(again)], [202, { turn: 2, queued: true }])
      }
    }))

  for (
    const [error, status, extra] of [
      [new ChatErrors.TurnRunning({ id: "c1", turn: 2 }), 409, { state: "running" }],
      [new ChatErrors.UnknownTurn({ id: "c1", turn: 2, isWaiting: false }), 404, { nearest: [] }],
      [new ChatErrors.AttachmentRefused({ name: "a", index: 1, advice: null, reason: "count", detail: "d" }), 413, {
        attachment: 1
      }],
      [new ChatErrors.AttachmentRefused({ name: "a", index: 1, advice: null, reason: "size", detail: "d" }), 413, {
        attachment: 1
      }],
      [new ChatErrors.AttachmentRefused({ name: "a", index: 1, advice: null, reason: "type", detail: "d" }), 415, {
        attachment: 1
      }],
      [new ChatStoreFailed({ operation: "append", why: "disk full" }), 503, { state: "failed", why: "disk full" }]
    ] as const
  ) {
    it.effect(`answer a message ${status} for ${error._tag}${error._tag === "AttachmentRefused" ? ` (${error.reason})` : ""}`, () =>
      Effect.gen(function*() {
        const request = yield* over({ send: () => Effect.fail(error) })
        const answer = yield* request("/api/chats/c1/messages", post({ text: "x" }))
        assert.strictEqual(answer.status, status)
        assert.include(answer.headers.get("content-type"), "application/problem+json")
        assert.deepInclude(yield* json(answer), { _tag: error._tag, detail: error.message, hint: error.hint, ...extra })
      }))
  }

  it.effect("name the place of a refused attachment in the request, also behind a resource that is several", () =>
    Effect.gen(function*() {
      const request = yield* over({
        send: (_, { attachments = [] }) =>
          new ChatErrors.AttachmentRefused({
            name: attachments.at(-1)?.name ?? "",
            index: attachments.length - 1,
            reason: "type",
            detail: `${attachments.length} are sent`,
            advice: "convert it"
          })
      })
      const attachments = [
        { kind: "resource", server: "files", uri: "file:///pictures" },
        { kind: "file", name: "a.bin", data: PNG }
      ]
      const answer = yield* request("/api/chats/c1/messages", post({ text: "x", attachments }))
      assert.deepInclude(yield* json(answer), {
        status: 415,
        attachment: 1,
        detail: "a.bin cannot be attached: 3 are sent",
        hint: "convert it"
      })
    }))

  it.effect("refuse a message whose image is no Base64, before anything is kept", () =>
    Effect.gen(function*() {
      const request = yield* over({ send: () => Effect.die("must not be sent") })
      const attachments = [{ kind: "image", name: "a", data: "*" }]
      assert.strictEqual((yield* request("/api/chats/c1/messages", post({ text: "x", attachments }))).status, 400)
    }))

  it.effect("answer 503 when the chats cannot be read, wherever they are asked for", () =>
    Effect.gen(function*() {
      const failed = Effect.fail(new ChatStoreFailed({ operation: "get", why: "gone" }))
      const request = yield* over({
        list: failed,
        get: () => failed,
        summary: () => failed,
        remove: () => failed,
        stop: () => failed,
        search: () => failed,
        create: () => failed,
        events: () => Stream.fail(new ChatStoreFailed({ operation: "parts", why: "gone" }))
      })
      for (const path of ["/api/chats", "/api/chats?q=x", "/api/chats/c1", "/api/chats/c1/events"]) {
        assert.strictEqual((yield* request(path)).status, 503, path)
      }
      assert.strictEqual((yield* request("/api/chats", post(null))).status, 503)
      assert.strictEqual((yield* request("/api/chats/c1/stop", post({}))).status, 503)
      assert.strictEqual((yield* request("/api/chats/c1", { method: "DELETE" })).status, 503)
    }))

  it.effect("are listed without an excerpt, and found with one", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const chats = (path: string) => Effect.map(Effect.flatMap(request(path), json), (body) => Object(body).chats)
      assert.deepInclude((yield* chats("/api/chats"))[0], { id: "c1", excerpt: null, waiting: 0, approvals: 0 })
      assert.deepInclude((yield* chats("/api/chats?q=hello"))[0], { id: "c1", excerpt: "Hello" })
      assert.deepStrictEqual(yield* chats("/api/chats?q=nothing"), [])
      assert.strictEqual((yield* request("/api/chats?limit=0")).status, 400)
    }))

  it.effect("take another title, and a message out of the queue", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const patch = (body: unknown) => request("/api/chats/c1", { ...post(body), method: "PATCH" })
      assert.deepInclude(yield* json(yield* patch({ title: "New" })), { id: "c1", title: "New" })
      assert.strictEqual((yield* patch({ title: " " })).status, 400)
      const drop = (turn: number) => request(`/api/chats/c1/queue/${turn}`, { method: "DELETE" })
      assert.deepStrictEqual([(yield* drop(3)).status, (yield* drop(2)).status], [204, 404])
    }))

  it.effect("give an attachment as a file that no browser runs: images in place, all else to save", () =>
    Effect.gen(function*() {
      const file = (kind: "image" | "resource", mediaType: string, name: string): Attachments.AttachedFile => ({
        attachment: { id: "1-1", kind, name, mediaType, bytes: 3, server: null, uri: null },
        data: new TextEncoder().encode("<b>")
      })
      const headersOf = Effect.fnUntraced(function*(given: Attachments.AttachedFile) {
        const request = yield* over({ file: () => Effect.succeed(given) })
        const answer = yield* request("/api/chats/c1/files/1-1")
        assert.strictEqual(yield* text(answer), "<b>")
        assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(answer.headers.get("content-security-policy"), "default-src 'none'; sandbox")
        return [answer.headers.get("content-type"), answer.headers.get("content-disposition")]
      })
      assert.deepStrictEqual(yield* headersOf(file("image", "image/png", "ä.png")), [
        "image/png",
        "inline; filename=\"_.png\"; filename*=UTF-8''%C3%A4.png"
      ])
      assert.deepStrictEqual(yield* headersOf(file("resource", "text/html", "a\"\r\nx: y.html")), [
        "application/octet-stream",
        "attachment; filename=\"a x y.html\"; filename*=UTF-8''a%20x%20y.html"
      ])
      // A chat that was imported may say anything of its attachments.
      for (const type of ["text/html", "text/javascript", "image/svg+xml", "image/png; x=text/html", "IMAGE/PNG", ""]) {
        const [shown, disposition] = yield* headersOf(file("image", type, "a.html"))
        assert.deepStrictEqual([shown, disposition?.split(";")[0]], ["application/octet-stream", "attachment"], type)
      }
      const request = yield* open()
      assert.strictEqual((yield* request("/api/chats/c1/files/..%2F..%2Fetc")).status, 404)
    }))

  it.effect("come as a file of a safe name, and from one", () =>
    Effect.gen(function*() {
      const request = yield* open()
      const answer = yield* request("/api/chats/c1/export?format=markdown")
      assert.deepStrictEqual([answer.headers.get("content-type"), answer.headers.get("content-disposition")], [
        "text/markdown; charset=utf-8",
        "attachment; filename=\"H_he 1.md\"; filename*=UTF-8''H%C3%B6he%201.md"
      ])
      assert.strictEqual((yield* request("/api/chats/none/export")).status, 404)
      const read: Array<unknown> = []
      const importing = yield* over({
        import: (given, format) => {
          read.push([given, format])
          return Effect.fail(new ChatDocument.ImportRefused({ why: "no" }))
        }
      })
      const markdown = { method: "POST", headers: { "content-type": "text/markdown" }, body: "# Hi" }
      const refused = yield* importing("/api/chats/import", markdown)
      assert.deepStrictEqual([refused.status, Object(yield* json(refused))._tag], [400, "ImportRefused"])
      yield* importing("/api/chats/import", post({ a: 1 }))
      assert.deepStrictEqual(read, [["# Hi", "markdown"], ["{\"a\":1}", "json"]])
    }))

  it.effect("tell of their changes among the events of the server", () =>
    Effect.gen(function*() {
      const request = yield* over({ changes: Stream.make({ type: "chat-removed", id: "c9" }) })
      const events = [...(yield* text(yield* request("/api/events"))).matchAll(/^data: (.*)$/gm)]
      assert.deepInclude(events.map(([, line]) => JSON.parse(line ?? "")), { type: "chat-removed", id: "c9" })
    }))
})

describe("The name of a download", () => {
  for (
    const [name, safe] of [
      ["../../etc/passwd", "etc passwd"],
      ["a\u0000b\u202Ec.txt", "a b c.txt"],
      ["..", "chat"],
      ["x".repeat(300), "x".repeat(100)],
      ["CON: *?", "CON"]
    ] as const
  ) {
    it(`is ${JSON.stringify(safe.slice(0, 20))} for ${JSON.stringify(name.slice(0, 20))}`, () => {
      assert.strictEqual(FileAnswers.safeName(name, "chat"), safe)
    })
  }
})
