/** The requests of a node to the node at which a chat is. */
import { ModelUnavailable } from "@boocode/language-models"
import { Conditions } from "@boocode/toolkit"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"
import * as ApprovalError from "../model/ApprovalError.ts"
import { Attachment, ChatOff, ChatSummary, ChatTurn, ChatWrite, PromptMessage } from "../model/Chat.ts"
import * as ChatError from "../model/ChatError.ts"
import { SummaryPart } from "../model/Part.ts"
import { QuestionReply } from "../model/Question.ts"
import * as QuestionError from "../model/QuestionError.ts"
import { LimitReached, TurnsAtOnce } from "../spending/Spending.ts"
import { ChatStoreFailed } from "../store/ChatStore.ts"
import { User } from "../users/CurrentUser.ts"

const given = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Known = [ChatError.UnknownChat, ChatStoreFailed] as const

const Message = Schema.Struct({
  text: Schema.String,
  prompt: given(Schema.Array(PromptMessage)),
  agent: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  replaces: given(Schema.Int),
  attachments: Schema.optional(Schema.Array(Schema.Struct({
    kind: Schema.Literals(["file", "image", "resource"]),
    name: Attachment.fields.name,
    mediaType: Attachment.fields.mediaType,
    server: Attachment.fields.server,
    uri: Attachment.fields.uri,
    data: Schema.Uint8Array
  }))),
  unattended: Schema.optional(Schema.Boolean),
  via: Schema.optional(ChatTurn.fields.via.schema),
  key: Schema.String
})

const Edit = Schema.Struct({
  title: Schema.optional(Schema.String),
  agent: given(Schema.String),
  model: given(Schema.String),
  pinned: Schema.optional(Schema.Boolean),
  folder: given(Schema.String),
  off: Schema.optional(Schema.Struct({
    servers: Schema.optionalKey(ChatOff.fields.servers),
    tools: Schema.optionalKey(ChatOff.fields.tools)
  })),
  write: given(ChatWrite)
})

const Answer = Schema.Struct({
  decision: Schema.Literals(["once", "chat", "hour", "always", "deny"]),
  reason: given(Schema.String),
  args: given(Schema.JsonObject),
  where: given(Conditions.Where),
  also: given(Schema.Array(Schema.String))
})

const Words = Schema.Struct({
  text: Schema.String,
  prompt: given(Schema.Array(PromptMessage)),
  agent: given(Schema.String),
  model: given(Schema.String)
})

const { parts: _, ...start } = ChatTurn.fields

/** As text: the binary form between nodes has no place for values of any shape. */
const asText = Schema.fromJsonString

/** Each request names the person that it asks for. */
const user = { user: User }
const ofTurn = { ...user, turn: Schema.Int }

/** A chat answers these where it runs. Each may come twice, when the node that it was sent to dies: the second time it does nothing more. */
export const ChatRpcs = RpcGroup.make(
  Rpc.make("send", {
    payload: { ...user, message: Message },
    success: Schema.Struct({ turn: Schema.Int, queued: Schema.Boolean, after: Schema.Int }),
    error: Schema.Union([
      ...Known,
      ChatError.UnknownAgent,
      ChatError.UnknownTurn,
      ModelUnavailable,
      ChatError.QueueFull,
      ChatError.TurnRunning,
      ChatError.AttachmentRefused,
      LimitReached,
      TurnsAtOnce
    ])
  }),
  Rpc.make("update", {
    payload: { ...user, edit: Edit },
    success: ChatSummary,
    error: Schema.Union([...Known, ChatError.UnknownAgent, ModelUnavailable, ChatError.BlankTitle])
  }),
  Rpc.make("fork", {
    payload: ofTurn,
    success: ChatSummary,
    error: Schema.Union([...Known, ChatError.UnknownTurn, ChatError.TurnRunning])
  }),
  Rpc.make("remove", { payload: user, error: Schema.Union(Known) }),
  Rpc.make("waiting", {
    payload: ofTurn,
    success: Schema.Struct(start),
    error: Schema.Union([...Known, ChatError.UnknownTurn])
  }),
  Rpc.make("editWaiting", {
    payload: { ...ofTurn, words: Words },
    error: Schema.Union([...Known, ChatError.UnknownTurn])
  }),
  Rpc.make("hurry", { payload: ofTurn, error: Schema.Union([...Known, ChatError.UnknownTurn]) }),
  Rpc.make("drop", { payload: ofTurn, error: Schema.Union([...Known, ChatError.UnknownTurn]) }),
  Rpc.make("editSummary", {
    payload: { ...user, summary: Schema.String, text: Schema.String },
    success: SummaryPart,
    error: Schema.Union([...Known, ChatError.UnknownSummary])
  }),
  Rpc.make("stop", {
    // The turn that ran when the person stopped it; null where none did. Another turn is not stopped.
    payload: { ...user, turn: Schema.NullOr(Schema.Int) },
    error: Schema.Union(Known)
  }),
  Rpc.make("answer", {
    payload: { ...user, approval: Schema.String, answer: asText(Answer) },
    error: Schema.Union([
      ChatStoreFailed,
      ApprovalError.UnknownApproval,
      ApprovalError.ApprovalClosed,
      ApprovalError.ApprovalNotReady,
      ApprovalError.UnusableArguments,
      ApprovalError.UnusableConditions,
      ApprovalError.GrantNotKept
    ])
  }),
  Rpc.make("reply", {
    payload: { ...user, question: Schema.String, reply: asText(QuestionReply) },
    error: Schema.Union([QuestionError.UnknownQuestion, QuestionError.QuestionClosed, QuestionError.UnusableAnswer])
  }),
  /** Goes on with what waits there, and answers when nothing runs or waits any more: the chat stays at its node so long. */
  Rpc.make("work", { error: Schema.Union(Known) })
)
export type ChatRpcs = RpcGroup.Rpcs<typeof ChatRpcs>
