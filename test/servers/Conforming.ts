/** A server that offers what the scenarios of the official suite ask servers for, in both eras. */
import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { setTimeout } from "node:timers/promises"
import { z } from "zod"

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

const text = (text: string) => ({ type: "text" as const, text })
const image = { type: "image" as const, data: PNG, mimeType: "image/png" }
const said = (words: string) => ({ content: [text(words)] })
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words }
})

const person = {
  message: "What is your name?",
  requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } }, required: ["name"] }
}
const thought = (words: string) => ({
  messages: [{ role: "user" as const, content: text(words) }],
  maxTokens: 100
})

const defaults = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, default: "John Doe" },
    age: { type: "integer" as const, default: 30 },
    score: { type: "number" as const, default: 95.5 },
    status: { type: "string" as const, enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean" as const, default: true }
  },
  required: []
}

const options = ["value1", "value2", "value3"].map((value) => ({ const: value, title: `The ${value}` }))

const choices = {
  type: "object" as const,
  properties: {
    untitledSingle: { type: "string" as const, enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string" as const, oneOf: options },
    legacyEnum: { type: "string" as const, enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
    untitledMulti: {
      type: "array" as const,
      minItems: 1,
      maxItems: 3,
      items: { type: "string" as const, enum: ["option1", "option2", "option3"] }
    },
    titledMulti: { type: "array" as const, minItems: 1, maxItems: 3, items: { anyOf: options } }
  },
  required: []
}

const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false
}

const tools = (server: McpServer) => {
  const READS = { readOnlyHint: true }
  server.registerTool(
    "test_simple_text",
    { annotations: READS },
    () => said("This is a simple text response for testing.")
  )
  server.registerTool("test_image_content", { annotations: READS }, () => ({ content: [image] }))
  server.registerTool("test_audio_content", { annotations: READS }, () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }]
  }))
  server.registerTool("test_embedded_resource", { annotations: READS }, () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
  }))
  server.registerTool("test_multiple_content_types", { annotations: READS }, () => ({
    content: [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}")
    ]
  }))
  server.registerTool("test_error_handling", { annotations: READS }, () => ({
    ...said("This tool intentionally returns an error for testing"),
    isError: true
  }))
  server.registerTool("test_tool_with_logging", { annotations: READS }, async ({ mcpReq }) => {
    for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", words)
      await setTimeout(50)
    }
    return said("Tool with logging executed successfully")
  })
  server.registerTool("test_tool_with_progress", { annotations: READS }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } })
      await setTimeout(50)
    }
    return said(String(progressToken))
  })
  server.registerTool(
    "json_schema_2020_12_tool",
    { inputSchema: fromJsonSchema(schema2020), annotations: READS },
    (args) => said(JSON.stringify(args))
  )
  asking(server)
}

/** Each asks in the way that both eras know: what is still open is asked for, and the call goes on with the answers. */
const asking = (server: McpServer) => {
  const READS = { readOnlyHint: true }
  server.registerTool(
    "test_sampling",
    { inputSchema: z.object({ prompt: z.string() }), annotations: READS },
    ({ prompt }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "model")
      return answer.kind === "sampling"
        ? said(`LLM response: ${JSON.stringify(answer.result.content)}`)
        : inputRequired({ inputRequests: { model: inputRequired.createMessage(thought(prompt)) } })
    }
  )
  const form = (name: string, params: Parameters<typeof inputRequired.elicit>[0]) =>
    server.registerTool(name, { annotations: READS }, ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "form")
      return answer.kind === "elicit"
        ? said(
          `Elicitation completed: action=${answer.action}, content=${
            JSON.stringify(acceptedContent(mcpReq.inputResponses, "form") ?? {})
          }`
        )
        : inputRequired({ inputRequests: { form: inputRequired.elicit(params) } })
    })
  form("test_elicitation_sep1034_defaults", { message: "Please review the fields", requestedSchema: defaults })
  form("test_elicitation_sep1330_enums", { message: "Please select options", requestedSchema: choices })
  server.registerTool(
    "test_elicitation",
    { inputSchema: z.object({ message: z.string() }), annotations: READS },
    ({ message }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "form")
      return answer.kind === "elicit"
        ? said(`User response: action=${answer.action}`)
        : inputRequired({
          inputRequests: {
            form: inputRequired.elicit({
              message,
              requestedSchema: { type: "object", properties: { response: { type: "string" } }, required: ["response"] }
            })
          }
        })
    }
  )
  rounds(server)
}

/** What revision 2026-07-28 asks of servers that need something first. */
const rounds = (server: McpServer) => {
  const READS = { readOnlyHint: true }
  const named = (responses: Parameters<typeof acceptedContent>[0], key: string) =>
    acceptedContent(responses, key, z.object({ name: z.string() }))
  const elicits = (name: string, state: string | undefined) =>
    server.registerTool(name, { annotations: READS }, ({ mcpReq }) => {
      const answer = named(mcpReq.inputResponses, "user_name")
      return answer === undefined
        ? inputRequired({
          inputRequests: { user_name: inputRequired.elicit(person) },
          ...state === undefined ? {} : { requestState: state }
        })
        : said(`Hello, ${answer.name}! state-ok`)
    })
  elicits("test_input_required_result_elicitation", undefined)
  elicits("test_input_required_result_request_state", "a state")
  elicits("test_input_required_result_tampered_state", "a state")
  elicits("test_input_required_result_capabilities", undefined)
  server.registerTool("test_input_required_result_sampling", { annotations: READS }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question")
    return answer.kind === "sampling"
      ? said(JSON.stringify(answer.result.content))
      : inputRequired({
        inputRequests: { capital_question: inputRequired.createMessage(thought("What is the capital of France?")) }
      })
  })
  server.registerTool("test_input_required_result_list_roots", { annotations: READS }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots")
    return answer.kind === "roots"
      ? said(JSON.stringify(answer.roots))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
  server.registerTool("test_input_required_result_multiple_inputs", { annotations: READS }, ({ mcpReq }) => {
    const answer = named(mcpReq.inputResponses, "user_name")
    const isWhole = ["greeting", "client_roots"].every((key) =>
      inputResponse(mcpReq.inputResponses, key).kind !== "missing"
    )
    return answer !== undefined && isWhole
      ? said(`Hello, ${answer.name}!`)
      : inputRequired({
        inputRequests: {
          user_name: inputRequired.elicit(person),
          greeting: inputRequired.createMessage(thought("Write a greeting")),
          client_roots: inputRequired.listRoots()
        },
        requestState: "all of them"
      })
  })
  server.registerTool("test_input_required_result_multi_round", { annotations: READS }, ({ mcpReq }) => {
    const color = acceptedContent(mcpReq.inputResponses, "step2", z.object({ color: z.string() }))
    if (color !== undefined) return said(`The favourite color is ${color.color}`)
    const name = named(mcpReq.inputResponses, "step1")
    return name === undefined
      ? inputRequired({ inputRequests: { step1: inputRequired.elicit(person) }, requestState: "round 1" })
      : inputRequired({
        inputRequests: {
          step2: inputRequired.elicit({
            message: `${name.name}, what is your favourite color?`,
            requestedSchema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] }
          })
        },
        requestState: `round 2 of ${name.name}`
      })
  })
}

const resources = (server: McpServer) => {
  const fixed = (name: string, content: { mimeType: string; text: string } | { mimeType: string; blob: string }) =>
    server.registerResource(name, `test://${name}`, { mimeType: content.mimeType }, ({ href }) => ({
      contents: [{ uri: href, ...content }]
    }))
  fixed("static-text", { mimeType: "text/plain", text: "This is the content of the static text resource." })
  fixed("static-binary", { mimeType: "image/png", blob: PNG })
  fixed("watched-resource", { mimeType: "text/plain", text: "Watched resource content" })
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [{ uri: href, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) }]
    })
  )
  server.server.setRequestHandler("resources/subscribe", () => ({}))
  server.server.setRequestHandler("resources/unsubscribe", () => ({}))
}

const prompts = (server: McpServer) => {
  const user = <A>(...contents: ReadonlyArray<A>) => ({
    messages: contents.map((content) => ({ role: "user" as const, content }))
  })
  server.registerPrompt("test_simple_prompt", {}, () => user(text("This is a simple prompt for testing.")))
  server.registerPrompt(
    "test_prompt_with_arguments",
    { argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))
  )
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => user(embedded(resourceUri, "text/plain", "Embedded resource content for testing."))
  )
  server.registerPrompt("test_prompt_with_image", {}, () => user(image, text("Please analyze the image above.")))
  server.registerPrompt("test_input_required_result_prompt", {}, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "user_context", z.object({ context: z.string() }))
    return answer === undefined
      ? inputRequired({
        inputRequests: {
          user_context: inputRequired.elicit({
            message: "What is the context?",
            requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] }
          })
        }
      })
      : user(text(`Use this context: ${answer.context}`))
  })
}

serveStdio(() => {
  const server = new McpServer({ name: "conforming", version: "1.0.0" }, {
    capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} }
  })
  tools(server)
  resources(server)
  prompts(server)
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park", "party"], total: 3, hasMore: false }
  }))
  return server
})
