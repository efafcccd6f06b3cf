/** Files that go with messages: PDFs read in a real thread, and all of it over HTTP and from the command line. */
import { PdfReader } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import * as PdfWorker from "../apps/chat-server/src/services/PdfWorker.ts"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import type * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Pdf from "./support/Pdf.ts"

const read = (bytes: Uint8Array, limits: Partial<PdfWorker.PdfLimits> = {}) =>
  Effect.flatMap(PdfReader, (reader) => reader.read(bytes)).pipe(
    Effect.provide(PdfWorker.layer({ ...PdfWorker.LIMITS, ...limits }))
  )

const refused = (bytes: Uint8Array, limits: Partial<PdfWorker.PdfLimits> = {}) => Effect.flip(read(bytes, limits))

const FLATE = { filter: "/Filter /FlateDecode" }

describe("The text of a PDF", Deadline.TEST, () => {
  it.live("is that of its pages, with their lines, and nothing where a page is a picture", () =>
    Effect.gen(function*() {
      const pdf = Pdf.of([Pdf.lines("Hello World", "second line"), "", Pdf.lines("third")])
      assert.deepStrictEqual(yield* read(pdf), { pages: 3, texts: ["Hello World\nsecond line", "", "third"] })
    }))

  it.live("is read of several at once, and leaves the bytes as they were", () =>
    Effect.gen(function*() {
      const pdfs = [1, 2, 3, 4].map((number) => Pdf.of([Pdf.lines(`number ${number}`)]))
      const before = pdfs.map((pdf) => pdf.toString("latin1"))
      const all = Effect.forEach(pdfs, (pdf) => PdfReader.pipe(Effect.flatMap((reader) => reader.read(pdf))), {
        concurrency: "unbounded"
      })
      const texts = yield* Effect.provide(all, PdfWorker.layer())
      assert.deepStrictEqual(texts.map((one) => one.texts), [1, 2, 3, 4].map((number) => [`number ${number}`]))
      assert.deepStrictEqual(pdfs.map((pdf) => pdf.toString("latin1")), before)
    }))

  it.live("cannot be had of one that is damaged, or protected by a password", () =>
    Effect.gen(function*() {
      const damaged = yield* refused(Buffer.from("%PDF-1.7\nnothing"))
      assert.match(damaged.message, /^it is a damaged PDF/)
      assert.match(damaged.hint, /new PDF/)
      const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"41".repeat(32)}> /U <${
        "42".repeat(32)
      }> >> `
      const locked = yield* refused(Pdf.of([Pdf.lines("secret")], { trailer: `${encrypt}/ID [<00> <00>]` }))
      assert.match(locked.message, /password/)
      assert.match(locked.hint, /without the password/)
    }))

  it.live("is not read of one with too many pages, and ends where there is too much of it", () =>
    Effect.gen(function*() {
      const three = Pdf.of(["one", "two", "three"].map((word) => Pdf.lines(word)))
      const many = yield* refused(three, { pages: 2 })
      assert.deepStrictEqual([many.message, many.hint], [
        "it has 3 pages, more than 2",
        "attach the pages that matter"
      ])
      assert.deepStrictEqual(yield* read(three, { characters: 7 }), { pages: 3, texts: ["one", "two"] })
    }))

  it.live("is given up for one that unpacks to more than it may hold", () =>
    Effect.gen(function*() {
      const bomb = Pdf.of([deflateSync(Buffer.alloc(250_000_000, 32))], FLATE)
      assert.isBelow(bomb.length, 1_000_000)
      const pdf = yield* refused(bomb, { bytes: 128_000_000 })
      assert.match(pdf.message, /unpacks to more than can be held in memory/)
    }))

  it.live("is given up for one that takes too long, and other work goes on meanwhile", () =>
    Effect.gen(function*() {
      const slow = Pdf.of([deflateSync(Buffer.from(Pdf.lines("x").repeat(1_000_000)))], FLATE)
      let turns = 0
      yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.sync(() => turns++), Effect.sleep(10))))
      const pdf = yield* refused(slow, { seconds: 1, bytes: 4_000_000_000 })
      assert.match(pdf.message, /longer than 1 s to read|memory/)
      // There would be one, at most two, if it were read in this thread.
      assert.isAbove(turns, 3)
    }))
})

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64")

/** A chat server whose model says `ok`, or calls what the message asks for. */
const setup = Effect.fnUntraced(function*() {
  const model = yield* ModelServer.make((request) =>
    request.text.startsWith("call ") ? ModelServer.echo(request) : [ModelServer.text("ok")]
  )
  const folder = yield* Command.folder({ "data/settings.json": "{\"titles\":\"message\"}", "data/mcp.json": "{}" })
  const data = join(folder, "data")
  const server = yield* AppServer.start(data, {
    OPENAI_BASE_URL: `${model.url}/v1`,
    ANTHROPIC_BASE_URL: `${model.url}/v1`,
    BOOCODE_MODEL: "openai/scripted"
  })
  const chat = String((yield* server.post("/api/chats", null)).body["id"])
  const send = (body: object) => server.stream(`/api/chats/${chat}/messages`, body)
  const asked = () => JSON.stringify(model.requests.at(-1)?.body)
  return { model, folder, data, server, chat, send, asked }
})

const turnsOf = (server: ChatServer.ChatServer, chat: string) =>
  Effect.map(server.get(`/api/chats/${chat}`), ({ body }) => body["turns"])

describe("Files with a message", Deadline.TEST, () => {
  it.live("reach the model as text, and as PDF where its provider takes that; they come out of an export and in again", () =>
    Effect.gen(function*() {
      const { asked, chat, model, send, server } = yield* setup()
      const pdf = Pdf.of([Pdf.lines("The heron stands still")])
      const attachments = [
        { kind: "file", name: "table.csv", data: base64("name,city\nAnna,Bergen") },
        { kind: "file", name: "bird.pdf", data: base64(pdf) }
      ]
      yield* send({ text: "look", attachments })
      assert.include(asked(), "Anna,Bergen")
      assert.include(asked(), "The heron stands still")
      assert.notInclude(asked(), base64(pdf))
      yield* send({ text: "again", model: "anthropic/claude-sonnet-4-5" })
      assert.include(asked(), base64(pdf))
      assert.notInclude(asked(), "The heron stands still")
      assert.isNull(model.requests.at(-1)?.problem ?? null)
      const [turn] = Object(yield* turnsOf(server, chat))
      assert.deepStrictEqual(turn.attachments, [
        { id: "1-1", kind: "text", name: "table.csv", mediaType: "text/csv", bytes: 21, server: null, uri: null },
        {
          id: "1-2",
          kind: "pdf",
          name: "bird.pdf",
          mediaType: "application/pdf",
          bytes: pdf.length,
          server: null,
          uri: null,
          pages: 1
        }
      ])
      const saved = yield* Effect.promise(() =>
        fetch(`${server.url}/api/chats/${chat}/export?format=json`).then((answer) => answer.json())
      )
      const imported = yield* server.post("/api/chats/import", saved)
      const copy = String(imported.body["id"])
      assert.deepStrictEqual(yield* turnsOf(server, copy), yield* turnsOf(server, chat))
      const again = yield* Effect.promise(() =>
        fetch(`${server.url}/api/chats/${copy}/files/1-2`).then((answer) => answer.arrayBuffer())
      )
      assert.strictEqual(base64(Buffer.from(again)), base64(pdf))
      yield* server.stream(`/api/chats/${copy}/messages`, { text: "and here?" })
      assert.include(asked(), "The heron stands still")
    }))

  it.live("are read on by the model with view_file when they are long", () =>
    Effect.gen(function*() {
      const { asked, send } = yield* setup()
      const text = Array.from({ length: 5000 }, (_, at) => `row ${at + 1} of it`).join("\n")
      yield* send({ text: "look", attachments: [{ kind: "file", name: "rows.txt", data: base64(text) }] })
      const [, last, all, handle, next] =
        /lines 1 to (\d+) of (\d+); read on with view_file (result-[0-9a-f-]+) and offset (\d+)\]/.exec(asked()) ??
          assert.fail("no handle")
      assert.deepStrictEqual([all, Number(next)], ["5000", Number(last) + 1])
      assert.notInclude(asked(), "row 4999 of it")
      yield* send({ text: `call view_file {"path":"${handle}","offset":4999}` })
      assert.include(asked(), "row 4999 of it\\nrow 5000 of it")
      assert.include(asked(), `view_file ${handle} and offset ${next}]`, "the handle of the earlier turn stays")
    }))

  it.live("are refused with the place of the one that is wrong, and what to try", () =>
    Effect.gen(function*() {
      const { chat, server } = yield* setup()
      const good = { kind: "file", name: "a.txt", data: base64("a") }
      const sent = (...attachments: ReadonlyArray<object>) =>
        server.post(`/api/chats/${chat}/messages`, { text: "look", attachments })
      const word = yield* sent(good, { kind: "file", name: "a.docx", data: base64("PK\x03\x04") })
      assert.deepInclude(word.body, {
        status: 415,
        _tag: "AttachmentRefused",
        attachment: 1,
        detail: "a.docx cannot be attached: it is a document of a word processor, which no model reads",
        hint: "save it as PDF or as text, and attach that"
      })
      const broken = yield* sent({ kind: "file", name: "b.pdf", data: base64("%PDF-1.7 nothing") })
      assert.deepInclude(broken.body, { status: 415, attachment: 0 })
      assert.match(String(broken.body["detail"]), /b\.pdf cannot be attached: it is a damaged PDF/)
      const many = yield* sent(...Array.from({ length: 9 }, () => good))
      assert.deepInclude(many.body, { status: 413, attachment: 8 })
      assert.deepStrictEqual(yield* turnsOf(server, chat), [])
    }))

  it.live("go with a message of the command line", () =>
    Effect.gen(function*() {
      const { asked, data, folder, model } = yield* setup()
      yield* Effect.promise(() => writeFile(join(folder, "notes.md"), "# The heron"))
      yield* Effect.promise(() => writeFile(join(folder, "b.pdf"), Pdf.of([Pdf.lines("A bird")])))
      const ended = yield* AppCommand.run(
        ["chat", "--file", join(folder, "notes.md"), "--file", join(folder, "b.pdf"), "read", "it", "--data", data],
        { env: { OPENAI_BASE_URL: `${model.url}/v1`, BOOCODE_MODEL: "openai/scripted" } }
      )
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.include(asked(), "# The heron")
      assert.include(asked(), "A bird")
    }))
})
