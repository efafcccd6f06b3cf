/** OpenAI's chat completions. */
import { contentText, isObject, type Json, list, object, objects, text } from "./Json.ts"
import {
  chunks,
  type Dialect,
  type Failure,
  isNote,
  type ModelRequest,
  type Piece,
  type Step,
  tokens,
  written
} from "./Script.ts"
import * as ToolRules from "./ToolRules.ts"

const functions = (body: Json) => objects(body["tools"]).map((tool) => object(tool["function"]))

const problems = (body: Json): ReadonlyArray<string> => {
  const names = functions(body).map((tool) => text(tool["name"]))
  return [
    ...ToolRules.requestProblems(body),
    ...ToolRules.listProblems(body, names, ToolRules.OPENAI_NAME),
    ...objects(body["tools"]).flatMap((tool, at) =>
      tool["type"] === "function" ? [] : [`Invalid 'tools[${at}].type'.`]
    ),
    ...functions(body).flatMap((tool, at) => [
      ...ToolRules.openAiDescription(`tools[${at}].function.description`, tool["description"]),
      ...ToolRules.openAiSchema(names[at] ?? "", tool["parameters"])
    ]),
    ...(list(body["messages"]).length === 0 ? ["[] is too short - 'messages'"] : []),
    ...objects(body["messages"]).flatMap(messageProblems),
    ...orderProblems(objects(body["messages"]))
  ]
}

const messageProblems = (message: Json, at: number): ReadonlyArray<string> => {
  const { content, role, tool_calls: calls } = message
  const hasContent = typeof content === "string" || list(content).length > 0
  switch (role) {
    case "system":
    case "developer":
    case "user":
      return hasContent ? [] : [`Invalid value for 'content': expected a string, got null. (messages[${at}])`]
    case "tool":
      return hasContent && text(message["tool_call_id"]) !== ""
        ? []
        : [`Missing parameter 'messages[${at}].tool_call_id'.`]
    case "assistant":
      return [
        ...(calls === undefined && !hasContent ? [`messages[${at}]: 'content' is needed without 'tool_calls'.`] : []),
        ...(Array.isArray(calls) && calls.length === 0 ? [`[] is too short - 'messages.${at}.tool_calls'`] : []),
        ...objects(calls).flatMap((call) => callProblems(call, `messages[${at}].tool_calls`))
      ]
    default:
      return [
        `Invalid value: '${
          String(role)
        }'. Supported values are: 'system', 'assistant', 'user', 'tool'. (messages[${at}])`
      ]
  }
}

const callProblems = (call: Json, where: string): ReadonlyArray<string> => {
  const { arguments: args, name } = object(call["function"])
  const id = text(call["id"])
  return [
    ...(id === "" || id.length > 40 ? [`Invalid '${where}.id': a string of at most 40 characters is expected.`] : []),
    ...(call["type"] === "function" ? [] : [`Missing required parameter: '${where}.type'.`]),
    ...(ToolRules.OPENAI_NAME.test(text(name)) ? [] : [`Invalid '${where}.function.name'.`]),
    // OpenAI takes any string; local servers put the arguments into the chat template and take objects only.
    ...(isJsonObject(args) ? [] : [`Invalid '${where}.function.arguments': a JSON object as text is expected.`])
  ]
}

const isJsonObject = (args: unknown): boolean => {
  try {
    return isObject(JSON.parse(text(args)))
  } catch {
    return false
  }
}

/** Each call is answered once, directly after it, and nothing else is answered. */
const orderProblems = (messages: ReadonlyArray<Json>): ReadonlyArray<string> => {
  const found: Array<string> = []
  let open = new Set<string>()
  for (const message of [...messages, { role: "end" }]) {
    if (message["role"] === "tool") {
      if (!open.delete(text(message["tool_call_id"]))) {
        found.push(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        )
      }
      continue
    }
    if (open.size > 0) {
      found.push(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
          `The following tool_call_ids did not have response messages: ${[...open].join(", ")}`
      )
    }
    open = new Set(objects(message["tool_calls"]).map((call) => text(call["id"])))
  }
  return found
}

const read = (body: Json): ModelRequest => {
  const messages = objects(body["messages"])
    .filter(({ content, role }) => role !== "user" || !isNote(contentText(content)))
  const last = messages.findLastIndex(({ role }) => role === "user" || role === "assistant")
  return {
    api: "chat-completions",
    model: text(body["model"]),
    system: messages.filter(({ role }) => role === "system" || role === "developer").map((m) =>
      contentText(m["content"])
    )
      .join("\n"),
    text: contentText(messages.findLast(({ role }) => role === "user")?.["content"]),
    results: messages.slice(last + 1).filter(({ role }) => role === "tool").map((message) => ({
      id: text(message["tool_call_id"]),
      text: contentText(message["content"])
    })),
    tools: functions(body).map((tool) => text(tool["name"])),
    body
  }
}

function* stream(request: ModelRequest, steps: ReadonlyArray<Step>, id: string): Generator<Piece> {
  const event = (fields: Json) =>
    `data: ${
      JSON.stringify({
        id: `chatcmpl-${id}`,
        object: "chat.completion.chunk",
        created: 1763700000,
        model: request.model,
        ...fields
      })
    }\n\n`
  const delta = (delta: Json, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
  yield delta({ role: "assistant", content: "" })
  let calls = 0
  for (const step of steps) {
    if (step.type === "text") { for (const content of chunks(step.text)) yield delta({ content }) }
    else if (step.type === "reasoning") {
      for (const part of chunks(step.text)) yield delta({ reasoning_content: part })
    } else if (step.type === "call") {
      const index = calls++
      const head = { index, id: `call_${id}_${index}`, type: "function" }
      yield delta({ tool_calls: [{ ...head, function: { name: step.name, arguments: "" } }] })
      const write = (text: string) =>
        chunks(text).map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] }))
      yield* written(step, write)
    } else yield step
  }
  yield delta({}, calls > 0 ? "tool_calls" : "stop")
  if (object(request.body["stream_options"])["include_usage"] === true) {
    const [prompt_tokens, completion_tokens] = [tokens(request.body), tokens(steps)]
    yield event({
      choices: [],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    })
  }
  yield "data: [DONE]\n\n"
}

export const error = ({ message, type }: Failure): Json => ({ error: { message, type, param: null, code: type } })

export const dialect: Dialect = { api: "chat-completions", problems, read, error, stream }
