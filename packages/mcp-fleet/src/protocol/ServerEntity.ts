/** The messages between a node and the owner of a server: what `Connection` has, over the fleet. */
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"

const Json = Schema.JsonObject
/** A reason of `McpError`, as `ReasonJson` writes it. */
const Reason = Json
const Nullable = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)

/** The facts about a connection, once it is open. */
export const Facts = Schema.Struct({
  /** Names this start of the server; calls are for this one and for no other. */
  instance: Schema.String,
  /** The node that runs it. */
  node: Schema.String,
  protocolVersion: Schema.String,
  serverInfo: Nullable(Schema.Struct({ name: Schema.String, version: Schema.String })),
  instructions: Nullable(Schema.String),
  declares: Schema.Array(
    Schema.Literals(["tools", "prompts", "resources", "subscribe", "completions", "logging"])
  ),
  tellsOf: Schema.Array(Schema.Literals(["prompts", "resources"])),
  mirrorsArguments: Schema.Boolean
})
export type Facts = typeof Facts.Type

/** Told to everybody who holds a server open. */
export const HeldEvent = Schema.Union([
  Schema.TaggedStruct("Opened", { facts: Facts }),
  Schema.TaggedStruct("ToolsChanged", {}),
  Schema.TaggedStruct("ListChanged", { what: Schema.Literals(["prompts", "resources"]) }),
  Schema.TaggedStruct("ResourceUpdated", { uri: Schema.String }),
  Schema.TaggedStruct("LogMessage", { level: Schema.Json, logger: Schema.Json, data: Schema.Json }),
  /** A line of standard error. */
  Schema.TaggedStruct("Line", { text: Schema.String }),
  /**
   * The server is gone; the last event. `taken` are the calls that came from the holder, where the server goes on at another
   * node: the others were not sent, and these are answered still.
   */
  Schema.TaggedStruct("Closed", {
    reason: Reason,
    taken: Nullable(Schema.Struct({ highest: Schema.Number, missing: Schema.Array(Schema.Number) }))
  })
])
export type HeldEvent = typeof HeldEvent.Type

/** The events of a call: progress and questions, then its result. */
export const CallEvent = Schema.Union([
  Schema.TaggedStruct("Progress", {
    progress: Schema.Number,
    total: Nullable(Schema.Number),
    message: Nullable(Schema.String)
  }),
  /** Something is to be answered by `Answer`. `isShared`: by the one answerer that several calls share. */
  Schema.TaggedStruct("Asked", {
    question: Schema.Number,
    kind: Schema.Literals(["elicit", "sample", "roots"]),
    request: Json,
    isShared: Schema.Boolean
  }),
  /** Nobody waits for the answer any more. */
  Schema.TaggedStruct("Withdrawn", { question: Schema.Number }),
  /** How many questions that may belong to it are open. */
  Schema.TaggedStruct("Open", { count: Schema.Number }),
  Schema.TaggedStruct("Result", { result: Json })
])
export type CallEvent = typeof CallEvent.Type

/** The node that speaks, and the instance it speaks to. */
const Who = { instance: Schema.String, holder: Schema.String }

/** Answers a server's questions during a request; null where the caller brought nobody. */
export const Asks = Nullable(Schema.Struct({
  roots: Schema.Boolean,
  audience: Nullable(Schema.String),
  /** Names the asker that several calls of this holder share. */
  shared: Nullable(Schema.Number)
}))
export type Asks = typeof Asks.Type

const Items = Schema.Struct({
  items: Schema.Array(Json),
  diagnostics: Schema.Array(Schema.String),
  ttlMillis: Nullable(Schema.Number)
})

/** Holds the server open, for as long as the stream is read, and tells what it tells. */
const Hold = Rpc.make("Hold", {
  payload: { holder: Schema.String },
  success: HeldEvent,
  error: Reason,
  stream: true
})

/** Calls a tool. Refused unless `number` comes to this instance for the first time. */
const Call = Rpc.make("Call", {
  payload: { ...Who, number: Schema.Number, tool: Schema.String, args: Json, asks: Asks },
  success: CallEvent,
  error: Reason,
  stream: true
})

/** A prompt, a resource or a completion. */
const Inquire = Rpc.make("Inquire", {
  payload: {
    ...Who,
    number: Schema.Number,
    method: Schema.Literals(["prompts/get", "resources/read", "completion/complete"]),
    params: Json,
    asks: Asks
  },
  success: CallEvent,
  error: Reason,
  stream: true
})

const List = Rpc.make("List", {
  payload: { ...Who, kind: Schema.Literals(["tools", "prompts", "resources", "templates"]) },
  success: Items,
  error: Reason
})

const Watch = Rpc.make("Watch", {
  payload: { ...Who, uris: Schema.Array(Schema.String) },
  success: Schema.Record(Schema.String, Reason),
  error: Reason
})

const SetLogLevel = Rpc.make("SetLogLevel", {
  payload: { ...Who, level: Nullable(Schema.String) },
  error: Reason
})

const Ping = Rpc.make("Ping", { payload: Who, error: Reason })

/** Answers a question of a call; one that nobody waits for any more is let go. */
const Answer = Rpc.make("Answer", { payload: { ...Who, question: Schema.Number, answer: Json } })

/** One MCP server of the fleet. Its id is the fingerprint of its entry. */
export const ServerEntity = Entity.make("McpServer", [Hold, Call, Inquire, List, Watch, SetLogLevel, Ping, Answer])
