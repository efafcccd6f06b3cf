/** The chats: messages in, parts out. */
import * as Attachments from "@boocode/chat/Attachments"
import { Chat, ChatSummary, ChatWrite, PromptMessage } from "@boocode/chat/Chat"
import { Part } from "@boocode/chat/Part"
import { TurnTimeline } from "@boocode/chat/TurnTimeline"
import * as DateTime from "effect/DateTime"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { about, nullable, Seq } from "./Documents.ts"
import {
  BadRequest,
  Conflict,
  McpProblems,
  NotFound,
  NotReady,
  TooLarge,
  UnknownCommand,
  UnsupportedMedia
} from "./Problems.ts"

/** The events of an SSE answer, one JSON document a `data:` line. */
const Parts = HttpApiSchema.StreamSse({ data: Part })

const id = { id: Schema.String }

const name = Schema.String.check(Schema.isMaxLength(300))

const NewAttachment = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("file"),
    name: name.annotate({ description: "with its extension" }),
    mediaType: nullable(Schema.String).annotate({ description: "that of a text; the bytes say what all else is" }),
    data: Schema.Uint8ArrayFromBase64.annotate({
      description:
        `text of at most ${Attachments.MOST_TEXT_BYTES} bytes (UTF-8, UTF-16 with its mark, Windows-1252), ` +
        `a PDF of at most ${Attachments.MOST_PDF_BYTES}, or an image as below`
    })
  }).annotate({ description: "becomes an attachment of kind `text`, `pdf` or `image`, as its bytes say" }),
  Schema.Struct({
    kind: Schema.Literal("image"),
    name,
    mediaType: nullable(Schema.String).annotate({ description: "the bytes say what it is" }),
    data: Schema.Uint8ArrayFromBase64.annotate({
      description: `PNG, JPEG, GIF or WebP of at most ${Attachments.MOST_BYTES} bytes`
    })
  }),
  Schema.Struct({
    kind: Schema.Literal("resource"),
    server: Schema.String,
    uri: Schema.String
  }).annotate({ description: "a resource of an MCP server, read when this is sent" })
])

/** The longest text, in UTF-16 units. A longer one is better attached, where a model reads it in pieces. */
const LONGEST_TEXT = 20_000_000

export const NewMessage = Schema.Struct({
  text: Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(LONGEST_TEXT)).annotate({
    description: "not blank; `/SERVER:PROMPT {json}` is sent as what the server makes of its prompt, `/TOOL {json}` " +
      "calls the tool and asks no model, and any other `/word` is 400 with the `nearest`; the text of a `prompt`, " +
      "and of a turn that is sent again unchanged, stays what it was"
  }),
  prompt: nullable(Schema.Array(PromptMessage)).annotate({
    description:
      "`said` of a prompt that a server filled in: models read it with its roles as long as `text` is its text " +
      "unchanged; left out, a message that replaces a turn takes that of that turn"
  }),
  agent: nullable(Schema.String),
  model: nullable(Schema.String),
  replaces: nullable(Schema.Int).annotate({
    description:
      "the turn whose place this message takes, with that of all later ones: for an edited message, or to try again"
  }),
  attachments: nullable(Schema.Array(NewAttachment)).annotate({
    description: `at most ${Attachments.MOST}, of ${Attachments.MOST_PDF_BYTES} bytes together; ` +
      "left out, a message that replaces a turn keeps those of that turn"
  }),
  unattended: Schema.optionalKey(Schema.Boolean).annotate({
    description: "nobody can answer the questions of this turn: a call that needs a yes is refused at once"
  }),
  key: nullable(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))).annotate({
    description: "chosen by the client: a message that is sent again with the same key is answered with the turn it is"
  })
})

const Off = Schema.Struct({
  servers: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(1000))).annotate({
    description: "names of servers"
  }),
  tools: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_*-]{1,200}$/))).check(Schema.isMaxLength(1000))
  ).annotate({ description: "patterns over names of tools, in which only `*` is special" })
}).annotate({
  description: "what models are not given in this chat, from their next request on; a key that is left out stays"
})

const Write = Schema.Struct({
  mode: ChatWrite.fields.mode,
  until: nullable(Schema.String.check(Schema.makeFilter((text) => Option.isSome(DateTime.make(text))))).annotate({
    description: "an ISO time at which the mode ends; null for as long as the chat is there"
  })
}).annotate({
  description:
    "whether tools that write can be called in this chat, from the next call on; null leaves it to permissions.jsonc"
})

/** A change of what is known of a chat. */
export const ChatPatch = Schema.Struct({
  title: Schema.optionalKey(Schema.String.check(Schema.isPattern(/\S/))),
  agent: nullable(Schema.String),
  model: nullable(Schema.String),
  pinned: Schema.optionalKey(Schema.Boolean),
  folder: nullable(Schema.String.check(Schema.isMaxLength(200))).annotate({
    description: "the name of a folder; null and a blank one take the chat out of its folder"
  }),
  off: Schema.optionalKey(Off),
  write: Schema.optionalKey(Schema.NullOr(Write))
})

const Waiting = Schema.Struct({ turn: Schema.Int, queued: Schema.Literal(true) }).pipe(HttpApiSchema.status(202))

const Limit = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1000 }))

const ExportedJson = Schema.Union([Schema.JsonObject, Schema.Array(Schema.Json)])

const turn = { turn: Schema.NumberFromString }

export const SearchHit = Schema.Struct({
  chat: Schema.String.annotate({ description: "the id of the chat" }),
  title: Schema.String,
  turn: Schema.NullOr(Schema.Int).annotate({ description: "null when the words stand in the title" }),
  seq: Schema.NullOr(Schema.Int).annotate({
    description: "the part of an answer in which the first word stands; null for a title and a message"
  }),
  role: Schema.Literals(["title", "user", "assistant"]),
  excerpt: Schema.String.annotate({ description: "at most 200 characters around the first word, on one line" }),
  marks: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])).annotate({
    description: "the words in the excerpt: from the first character up to the one after the last, in UTF-16 units"
  })
})

/** A chat in the list; where the words were found when it was searched for. */
export const ListedChat = Schema.Struct({ ...ChatSummary.fields, excerpt: Schema.NullOr(Schema.String) })

export const ChatsApi = HttpApiGroup.make("chats").add(
  HttpApiEndpoint.post("create", "/chats", {
    payload: [Schema.Struct({ agent: nullable(Schema.String), model: nullable(Schema.String) }), Schema.Null],
    success: ChatSummary.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, NotFound, NotReady]
  }).annotateMerge(about("Begins a chat.")),
  HttpApiEndpoint.get("list", "/chats", {
    query: { q: Schema.optionalKey(Schema.String), limit: Schema.optionalKey(Limit) },
    success: Schema.Struct({ chats: Schema.Array(ListedChat) }),
    error: [NotReady]
  }).annotateMerge(about(
    "All chats, the last used first; with `q` those with all its words in title, messages or answers, each with where they stand."
  )),
  HttpApiEndpoint.get("search", "/chats/search", {
    query: { q: Schema.String, limit: Schema.optionalKey(Limit) },
    success: Schema.Struct({ hits: Schema.Array(SearchHit) }),
    error: [BadRequest, NotReady]
  }).annotateMerge(about(
    "The titles, messages and answers with all these words or beginnings of words, the chat last used first, at most 20 of a chat " +
      "and 50 in all unless `limit` says otherwise. Where the words of a chat stand in different texts, each text with one of them is a hit. " +
      "Neither case nor accents matter."
  )),
  HttpApiEndpoint.get("get", "/chats/:id", { params: id, success: Chat, error: [NotFound, NotReady] })
    .annotateMerge(about("A whole chat: every turn with its parts.")),
  HttpApiEndpoint.patch("update", "/chats/:id", {
    params: id,
    payload: ChatPatch,
    success: ChatSummary,
    error: [BadRequest, NotFound, NotReady]
  }).annotateMerge(about(
    "Gives a chat another title, agent, model, pin or folder, turns servers and tools off in it, or gives it a write mode; what is left out stays."
  )),
  HttpApiEndpoint.delete("remove", "/chats/:id", {
    params: id,
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about("Ends the chat's turn, then forgets the chat.")),
  HttpApiEndpoint.post("send", "/chats/:id/messages", {
    params: id,
    payload: NewMessage,
    success: [Parts, Waiting],
    error: [UnknownCommand, ...McpProblems, TooLarge, UnsupportedMedia]
  }).annotateMerge(about(
    "Sends a message. Answers with the parts of its turn up to `finish`, or with 202 when it waits behind a running turn, where at most 20 messages wait. " +
      "Closing the connection does not end the turn, and neither does the end of this server undo it: it is kept. " +
      "A stream that ends before `finish` says that the chat was removed, cannot be kept, or that the server ends: ask for its events, " +
      "which answers 404, 503 or goes on."
  )),
  HttpApiEndpoint.post("fork", "/chats/:id/fork", {
    params: id,
    payload: Schema.Struct({ turn: Schema.Int }),
    success: ChatSummary.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, NotFound, Conflict, NotReady]
  }).annotateMerge(about(
    "A new chat with every turn up to and including this one, the same agent, model and folder, and the same servers and tools off. " +
      "409 while one of those turns runs or waits."
  )),
  HttpApiEndpoint.patch("editWaiting", "/chats/:id/queue/:turn", {
    params: { ...id, ...turn },
    payload: Schema.Struct({
      text: Schema.String.check(Schema.isPattern(/\S/)).annotate({ description: "as of a message that is sent" })
    }),
    success: HttpApiSchema.NoContent,
    error: [UnknownCommand, ...McpProblems]
  }).annotateMerge(about("Gives a message that waits another text, which is read as that of a new message is.")),
  HttpApiEndpoint.post("hurry", "/chats/:id/queue/:turn/now", {
    params: { ...id, ...turn },
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about(
    "Has the running turn take a message that waits at its next step, between two requests to its model: it becomes a `message` part of that turn, " +
      "whose agent and model answer, and its own turn ends with `joined`. When the running turn ends first, the message is the next turn."
  )),
  HttpApiEndpoint.delete("drop", "/chats/:id/queue/:turn", {
    params: { ...id, ...turn },
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about("Drops a message that waits, as if it had never been sent.")),
  HttpApiEndpoint.patch("editSummary", "/chats/:id/summaries/:summary", {
    params: { ...id, summary: Schema.String },
    payload: Schema.Struct({ text: Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(20_000)) }),
    success: Part,
    error: [BadRequest, NotFound, NotReady]
  }).annotateMerge(about(
    "Gives the note that stands in place of older turns another text. Models read it in the turns that begin from now on; the turns themselves stay. " +
      "Answers with the `summary` part; streams of events do not tell of it."
  )),
  HttpApiEndpoint.post("stop", "/chats/:id/stop", {
    params: id,
    success: HttpApiSchema.NoContent,
    error: [NotFound, NotReady]
  }).annotateMerge(about(
    "Ends the running turn. Messages that wait stay, and the next one begins; `DELETE /chats/:id/queue/:turn` drops one."
  )),
  HttpApiEndpoint.get("events", "/chats/:id/events", {
    params: id,
    query: {
      after: Schema.optionalKey(Seq),
      drafts: Schema.optionalKey(Schema.Literal("true")).annotate({
        description:
          "also the pieces of the arguments of a call that a model writes just now, as they come: events of the type `tool-draft` " +
          "with `turn`, `id`, `name`, `server`, `app`, `at` and `text`, which have no `seq` and are not kept; a fleet sends none"
      })
    },
    headers: { "last-event-id": Schema.optionalKey(Seq) },
    success: Parts,
    error: [NotFound, NotReady]
  }).annotateMerge(about(
    "Every part with a `seq` above `after`: first those there are, then each new one. " +
      "A browser that reconnects by itself goes on where it was (`Last-Event-ID`). " +
      "The stream ends when the chat is removed or cannot be kept any more, and with the server; asked again, this answers 404, " +
      "503 with the reason, or goes on. 503 also while another server that runs goes on with a turn of this chat."
  )),
  HttpApiEndpoint.get("timeline", "/chats/:id/turns/:turn/timeline", {
    params: { ...id, ...turn },
    success: TurnTimeline,
    error: [NotFound, NotReady]
  }).annotateMerge(about(
    "The time of a turn by what it was spent on: requests to its model with their first word, tokens and cost, calls of tools, and waits, in milliseconds since its message was sent. " +
      "Times are those at which parts were kept, exact to about 30 ms. `isKnown` is false for turns that were imported or are of an earlier version."
  )),
  HttpApiEndpoint.get("export", "/chats/:id/export", {
    params: id,
    query: { format: Schema.optionalKey(Schema.Literals(["json", "markdown"])) },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: [NotFound, NotReady]
  }).annotateMerge(about("A whole chat as a file to save: JSON keeps all of it, Markdown is for people.")),
  HttpApiEndpoint.post("import", "/chats/import", {
    payload: [ExportedJson, Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown" }))],
    success: ChatSummary.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, NotReady]
  }).annotateMerge(about(
    "A new chat from an exported one, or from JSON with messages of role and content. Nothing in it runs or allows anything."
  )),
  HttpApiEndpoint.get("file", "/chats/:id/files/:file", {
    params: { ...id, file: Schema.String },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: [NotFound, NotReady]
  }).annotateMerge(
    about("The bytes of an attachment, under its own type. Browsers show images and nothing else of it.")
  ),
  HttpApiEndpoint.get("resultFile", "/chats/:id/calls/:call/files/:file", {
    params: { ...id, call: Schema.String, file: Schema.String },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: [NotFound, NotReady]
  }).annotateMerge(about(
    "Sound, an image or other bytes that a tool gave, by the `file` that its result names, for 7 days. Browsers play sound and show images, and save all else."
  ))
)
