/** OpenAI's responses. */
import * as ChatCompletions from "./ChatCompletions.ts"
import { contentText, type Json, list, objects, text } from "./Json.ts"
import {
  type CallStep,
  chunks,
  type Dialect,
  isNote,
  type ModelRequest,
  type Piece,
  type Step,
  tokens,
  written
} from "./Script.ts"
import * as ToolRules from "./ToolRules.ts"

const encrypt = (summary: string) => Buffer.from(`encrypted ${summary}`).toString("base64")

const problems = (body: Json): ReadonlyArray<string> => {
  const input = items(body)
  const given = objects(body["tools"])
  const tools = [...given, ...added(input)]
  const names = tools.map((tool) => text(tool["name"]))
  return [
    ...ToolRules.requestProblems(body),
    ...ToolRules.listProblems(body, given.map((tool) => text(tool["name"])), ToolRules.OPENAI_NAME),
    ...(new Set(names).size < names.length ? ["Tool names must be unique, also of those that are added."] : []),
    ...tools.flatMap((tool, at) => [
      ...ToolRules.openAiDescription(`tools[${at}].description`, tool["description"]),
      ...ToolRules.openAiSchema(names[at] ?? "", tool["parameters"])
    ]),
    // Unlike in chat completions, functions are strict here unless they say otherwise.
    ...tools.flatMap((tool, at) =>
      tool["strict"] === false ? [] : ToolRules.strictSchema(names[at] ?? "", tool["parameters"])
    ),
    ...(input.length === 0 ? ["Missing required parameter: 'input'."] : []),
    ...input.flatMap((item, at) => itemProblems(item, input[at + 1], `input[${at}]`)),
    ...orderProblems(input)
  ]
}

const items = (body: Json): ReadonlyArray<Json> =>
  typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : objects(body["input"])

/** The definitions that items of the input add. */
const added = (input: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  input.flatMap((item) => item["type"] === "additional_tools" ? objects(item["tools"]) : [])

const itemProblems = (item: Json, next: Json | undefined, where: string): ReadonlyArray<string> => {
  switch (item["type"] ?? "message") {
    case "message":
      return ["system", "developer", "user", "assistant"].includes(text(item["role"]))
        ? []
        : [`Invalid value: '${where}.role'.`]
    case "reasoning": {
      const summary = contentText(item["summary"])
      return [
        ...(item["encrypted_content"] === encrypt(summary)
          ? []
          : [`The encrypted content for item ${text(item["id"])} could not be verified.`]),
        ...(next === undefined || next["role"] === "user"
          ? [`Item '${text(item["id"])}' of type 'reasoning' was provided without its required following item.`]
          : [])
      ]
    }
    case "function_call":
      return text(item["call_id"]) === "" || text(item["call_id"]).length > 64 || typeof item["arguments"] !== "string"
        ? [`Missing required parameter: '${where}.call_id' or '${where}.arguments'.`]
        : []
    case "function_call_output":
      return item["output"] === undefined ? [`Missing required parameter: '${where}.output'.`] : []
    case "additional_tools":
      return item["role"] === "developer" && list(item["tools"]).length > 0 ? [] : [`Invalid value: '${where}'.`]
    case "item_reference":
      return [`Item with id '${text(item["id"])}' not found. Items are not persisted when \`store\` is set to false.`]
    default:
      return [`Invalid value: '${String(item["type"])}'. (${where}.type)`]
  }
}

const orderProblems = (input: ReadonlyArray<Json>): ReadonlyArray<string> => {
  const ids = (type: string) => input.filter((item) => item["type"] === type).map((item) => text(item["call_id"]))
  const [calls, outputs] = [ids("function_call"), ids("function_call_output")]
  return [
    ...calls.filter((id) => !outputs.includes(id)).map((id) => `No tool output found for function call ${id}.`),
    ...outputs.filter((id) => !calls.includes(id)).map((id) =>
      `No tool call found for function call output with call_id ${id}.`
    ),
    ...(new Set(outputs).size < outputs.length ? ["Duplicate function call output."] : [])
  ]
}

const read = (body: Json): ModelRequest => {
  const input = items(body).filter(({ content, role }) => role !== "user" || !isNote(contentText(content)))
  const last = input.findLastIndex(({ role, type }) =>
    role === "user" || role === "assistant" || type === "function_call"
  )
  return {
    api: "responses",
    model: text(body["model"]),
    system: [
      text(body["instructions"]),
      ...input.filter(({ role }) => role === "system" || role === "developer").map((item) =>
        contentText(item["content"])
      )
    ].filter((part) => part !== "").join("\n"),
    text: contentText(input.findLast(({ role }) => role === "user")?.["content"]),
    results: input.slice(last + 1).filter(({ type }) => type === "function_call_output").map((item) => ({
      id: text(item["call_id"]),
      text: contentText(item["output"])
    })),
    tools: [...objects(body["tools"]), ...added(input)].map((tool) => text(tool["name"])),
    body
  }
}

function* stream(request: ModelRequest, steps: ReadonlyArray<Step>, id: string): Generator<Piece> {
  let sequence_number = 0
  const event = (type: string, fields: Json) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...fields })}\n\n`
  const response = (status: string, output: ReadonlyArray<Json>, usage: Json | null) => ({
    response: {
      id: `resp_${id}`,
      object: "response",
      created_at: 1763700000,
      status,
      error: null,
      incomplete_details: null,
      model: request.model,
      output,
      parallel_tool_calls: true,
      store: false,
      tool_choice: "auto",
      tools: list(request.body["tools"]),
      usage
    }
  })
  yield event("response.created", response("in_progress", [], null))
  yield event("response.in_progress", response("in_progress", [], null))
  const output: Array<Json> = []
  for (const step of steps) {
    if (step.type === "wait" || step.type === "drop") yield step
    else output.push(yield* item(step, output.length, `${id}_${output.length}`, event))
  }
  const [input_tokens, output_tokens] = [tokens(request.body), tokens(steps)]
  yield event(
    "response.completed",
    response("completed", output, {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens
    })
  )
}

type Event = (type: string, fields: Json) => string

function* item(
  step: Exclude<Step, { type: "wait" | "drop" }>,
  output_index: number,
  id: string,
  event: Event
): Generator<Piece, Json> {
  const open = (item: Json) => event("response.output_item.added", { output_index, item })
  const close = (item: Json) => event("response.output_item.done", { output_index, item })
  const parts = { reasoning: reasoningItem, text: messageItem, call: callItem }
  const { begin, done, events } = step.type === "call"
    ? parts.call(step, id, output_index, event)
    : parts[step.type](step.text, id, output_index, event)
  yield open(begin)
  yield* events
  yield close(done)
  return done
}

interface Item {
  readonly begin: Json
  readonly done: Json
  readonly events: Iterable<Piece>
}

const reasoningItem = (text: string, id: string, output_index: number, event: Event): Item => {
  const at = { item_id: `rs_${id}`, output_index, summary_index: 0 }
  const part = { type: "summary_text", text }
  const reasoning = { id: `rs_${id}`, type: "reasoning", encrypted_content: encrypt(text) }
  return {
    begin: { ...reasoning, summary: [] },
    done: { ...reasoning, summary: [part] },
    events: function*() {
      yield event("response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } })
      for (const delta of chunks(text)) yield event("response.reasoning_summary_text.delta", { ...at, delta })
      yield event("response.reasoning_summary_text.done", { ...at, text })
      yield event("response.reasoning_summary_part.done", { ...at, part })
    }()
  }
}

const messageItem = (text: string, id: string, output_index: number, event: Event): Item => {
  const at = { item_id: `msg_${id}`, output_index, content_index: 0 }
  const part = { type: "output_text", annotations: [], logprobs: [], text }
  const message = { id: `msg_${id}`, type: "message", role: "assistant" }
  return {
    begin: { ...message, status: "in_progress", content: [] },
    done: { ...message, status: "completed", content: [part] },
    events: function*() {
      yield event("response.content_part.added", { ...at, part: { ...part, text: "" } })
      for (const delta of chunks(text)) yield event("response.output_text.delta", { ...at, delta, logprobs: [] })
      yield event("response.output_text.done", { ...at, text, logprobs: [] })
      yield event("response.content_part.done", { ...at, part })
    }()
  }
}

const callItem = (step: CallStep, id: string, output_index: number, event: Event): Item => {
  const { args, name } = step
  const at = { item_id: `fc_${id}`, output_index }
  const call = { id: `fc_${id}`, type: "function_call", call_id: `call_${id}`, name }
  return {
    begin: { ...call, status: "in_progress", arguments: "" },
    done: { ...call, status: "completed", arguments: args },
    events: function*() {
      const write = (text: string) =>
        chunks(text).map((delta) => event("response.function_call_arguments.delta", { ...at, delta }))
      yield* written(step, write)
      yield event("response.function_call_arguments.done", { ...at, name, arguments: args })
    }()
  }
}

export const dialect: Dialect = { api: "responses", problems, read, error: ChatCompletions.error, stream }
