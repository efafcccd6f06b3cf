/** Anthropic's messages. */
import { createHash } from "node:crypto"
import { contentText, isObject, type Json, objects, text } from "./Json.ts"
import { chunks, type Dialect, type Failure, type ModelRequest, type Piece, type Step, tokens } from "./Script.ts"
import * as ToolRules from "./ToolRules.ts"

const sign = (thinking: string) => createHash("sha256").update(`signed ${thinking}`).digest("base64")

const blocks = (message: Json | undefined): ReadonlyArray<Json> =>
  typeof message?.["content"] === "string"
    ? [{ type: "text", text: message["content"] }]
    : objects(message?.["content"])

const problems = (body: Json): ReadonlyArray<string> => {
  const tools = objects(body["tools"])
  const messages = merged(objects(body["messages"]))
  const { max_tokens } = body
  return [
    ...ToolRules.requestProblems(body),
    ...(Number.isInteger(max_tokens) && Number(max_tokens) > 0 ? [] : ["max_tokens: Field required"]),
    ...ToolRules.listProblems(body, tools.map((tool) => text(tool["name"])), ToolRules.ANTHROPIC_NAME),
    ...tools.flatMap((tool, at) => ToolRules.anthropicSchema(at, tool["input_schema"])),
    ...emptyText(objects(body["system"]), "system"),
    ...(messages.length === 0 ? ["messages: at least one message is required"] : []),
    ...(messages[0] === undefined || messages[0]["role"] === "user"
      ? []
      : ["messages: first message must use the \"user\" role"]),
    ...messages.flatMap((message, at) => messageProblems(message, at)),
    ...messages.flatMap((message, at) => resultProblems(message, messages[at - 1], at)),
    ...messages.flatMap((message, at) => callProblems(message, messages[at + 1], at)),
    ...(tools.length === 0 && messages.flatMap(blocks).some(({ type }) => type === "tool_use")
      ? ["Requests which include `tool_use` or `tool_result` blocks must define tools."]
      : [])
  ]
}

/** Anthropic reads messages of one role in a row as one message. */
const merged = (messages: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  messages.reduce<ReadonlyArray<Json>>((all, message) => {
    const last = all.at(-1)
    return last !== undefined && last["role"] === message["role"]
      ? [...all.slice(0, -1), { role: last["role"], content: [...blocks(last), ...blocks(message)] }]
      : [...all, message]
  }, [])

const emptyText = (content: ReadonlyArray<Json>, where: string): ReadonlyArray<string> =>
  content.flatMap(({ text, type }) => {
    if (type !== "text" || typeof text !== "string" || text.trim() !== "") return []
    return [`${where}: text content blocks must ${text === "" ? "be non-empty" : "contain non-whitespace text"}`]
  })

const messageProblems = (message: Json, at: number): ReadonlyArray<string> => {
  const content = blocks(message)
  const { role } = message
  return [
    ...(role === "user" || role === "assistant" ? [] : [`messages.${at}.role: Input should be 'user' or 'assistant'`]),
    ...(content.length === 0 ? [`messages.${at}: all messages must have non-empty content`] : []),
    ...emptyText(content, `messages.${at}`),
    ...content.flatMap((block, index) => blockProblems(block, role, `messages.${at}.content.${index}`))
  ]
}

const ROLES: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  text: ["user", "assistant"],
  image: ["user"],
  document: ["user"],
  tool_result: ["user"],
  tool_use: ["assistant"],
  thinking: ["assistant"],
  redacted_thinking: ["assistant"]
}

const blockProblems = (block: Json, role: unknown, where: string): ReadonlyArray<string> => {
  const type = text(block["type"])
  if (!(ROLES[type] ?? []).includes(role)) {
    return [`${where}: \`${type}\` blocks are not allowed with the role ${String(role)}`]
  }
  if (type === "thinking" && block["signature"] !== sign(text(block["thinking"]))) {
    return [`${where}: Invalid \`signature\` in \`thinking\` block`]
  }
  if (type === "tool_result") return emptyText(objects(block["content"]), `${where}.content`)
  if (type !== "tool_use") return []
  return [
    ...(/^[a-zA-Z0-9_-]+$/.test(text(block["id"]))
      ? []
      : [`${where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`]),
    ...(ToolRules.ANTHROPIC_NAME.test(text(block["name"])) ? [] : [`${where}.name: String should match pattern`]),
    ...(isObject(block["input"]) ? [] : [`${where}.input: Input should be a valid dictionary`])
  ]
}

const ids = (message: Json | undefined, type: string, key: string): ReadonlyArray<string> =>
  blocks(message).filter((block) => block["type"] === type).map((block) => text(block[key]))

/** Each call is answered in the next message. */
const callProblems = (message: Json, next: Json | undefined, at: number): ReadonlyArray<string> => {
  const answered = ids(next, "tool_result", "tool_use_id")
  const missing = ids(message, "tool_use", "id").filter((id) => !answered.includes(id))
  return missing.length === 0 ? [] : [
    `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${
      missing.join(", ")
    }. ` +
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
  ]
}

/** Each result answers a call of the message before, alone, and comes before anything else. */
const resultProblems = (message: Json, before: Json | undefined, at: number): ReadonlyArray<string> => {
  const results = ids(message, "tool_result", "tool_use_id")
  const calls = ids(before, "tool_use", "id")
  const unknown = results.filter((id) => !calls.includes(id))
  const types = blocks(message).map(({ type }) => type)
  return [
    ...(unknown.length === 0 ? [] : [
      `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unknown.join(", ")}. ` +
      "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    ]),
    ...(new Set(results).size < results.length
      ? [`messages.${at}: each tool_use must have a single result.`]
      : []),
    ...(types.lastIndexOf("tool_result") >= results.length
      ? [`messages.${at}: \`tool_result\` blocks must come first in the message`]
      : [])
  ]
}

const read = (body: Json): ModelRequest => {
  const messages = merged(objects(body["messages"]))
  const last = messages.at(-1)
  const said = messages.findLast((message) => message["role"] === "user" && textOf(message) !== "")
  return {
    api: "messages",
    model: text(body["model"]),
    system: contentText(body["system"]),
    text: textOf(said),
    results: blocks(last).filter(({ type }) => type === "tool_result").map((block) => ({
      id: text(block["tool_use_id"]),
      text: contentText(block["content"])
    })),
    tools: objects(body["tools"]).map((tool) => text(tool["name"])),
    body
  }
}

const textOf = (message: Json | undefined): string => contentText(blocks(message).filter(({ type }) => type === "text"))

const event = (type: string, fields: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

function* stream(request: ModelRequest, steps: ReadonlyArray<Step>, id: string): Generator<Piece> {
  const usage = { input_tokens: tokens(request.body), cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model: request.model, content: [] }
  yield event("message_start", {
    message: { ...message, stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } }
  })
  yield event("ping", {})
  let index = 0
  for (const step of steps) {
    if (step.type === "wait" || step.type === "drop") yield step
    else yield* block(step, index, `toolu_${id}_${index++}`)
  }
  const stop_reason = steps.some(({ type }) => type === "call") ? "tool_use" : "end_turn"
  yield event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: tokens(steps) } })
  yield event("message_stop", {})
}

function* block(step: Exclude<Step, { type: "wait" | "drop" }>, index: number, id: string): Generator<string> {
  const start = (content_block: Json) => event("content_block_start", { index, content_block })
  const delta = (delta: Json) => event("content_block_delta", { index, delta })
  switch (step.type) {
    case "text":
      yield start({ type: "text", text: "" })
      for (const part of chunks(step.text)) yield delta({ type: "text_delta", text: part })
      break
    case "reasoning":
      yield start({ type: "thinking", thinking: "", signature: "" })
      for (const part of chunks(step.text)) yield delta({ type: "thinking_delta", thinking: part })
      yield delta({ type: "signature_delta", signature: sign(step.text) })
      break
    case "call":
      yield start({ type: "tool_use", id, name: step.name, input: {} })
      for (const part of chunks(step.args)) yield delta({ type: "input_json_delta", partial_json: part })
  }
  yield event("content_block_stop", { index })
}

export const error = ({ message, type }: Failure): Json => ({ type: "error", error: { type, message } })

export const dialect: Dialect = { api: "messages", problems, read, error, stream }
