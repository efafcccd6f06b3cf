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
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

/** The suite wants each described. */
const about = (name: string) => ({ description: name.replaceAll("_", " ") })

const reading = (name: string) => ({ ...about(name), annotations: { readOnlyHint: true } })

/** How many tools and prompts came late. */
let lateness = 0

const tools = (server: McpServer) => {
  server.registerTool(
    "test_simple_text",
    reading("test_simple_text"),
    () => said("This is a simple text response for testing.")
  )
  server.registerTool("test_image_content", reading("test_image_content"), () => ({ content: [image] }))
  server.registerTool("test_audio_content", reading("test_audio_content"), () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }]
  }))
  server.registerTool("test_embedded_resource", reading("test_embedded_resource"), () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
  }))
  server.registerTool("test_multiple_content_types", reading("test_multiple_content_types"), () => ({
    content: [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}")
    ]
  }))
  server.registerTool("test_error_handling", reading("test_error_handling"), () => ({
    ...said("This tool intentionally returns an error for testing"),
    isError: true
  }))
  server.registerTool("test_tool_with_logging", reading("test_tool_with_logging"), async ({ mcpReq }) => {
    for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", words)
      await setTimeout(50)
    }
    return said("Tool with logging executed successfully")
  })
  server.registerTool("test_logging_tool", reading("test_logging_tool"), async ({ mcpReq }) => {
    await mcpReq.log("info", "one line")
    return said("logged")
  })
  server.registerTool("test_trigger_tool_change", reading("test_trigger_tool_change"), () => {
    const name = `test_late_${lateness += 1}`
    server.registerTool(name, reading(name), () => said(name))
    return said("changed")
  })
  server.registerTool("test_trigger_prompt_change", reading("test_trigger_prompt_change"), () => {
    const name = `test_late_${lateness += 1}`
    server.registerPrompt(name, about(name), () => ({ messages: [] }))
    return said("changed")
  })
  server.registerTool("test_tool_with_progress", reading("test_tool_with_progress"), async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } })
      await setTimeout(50)
    }
    return said(String(progressToken))
  })
  server.registerTool(
    "json_schema_2020_12_tool",
    { ...reading("json_schema_2020_12_tool"), inputSchema: fromJsonSchema(schema2020) },
    (args) => said(JSON.stringify(args))
  )
  asking(server)
}

/** Each asks in the way that both eras know: what is still open is asked for, and the call goes on with the answers. */
const asking = (server: McpServer) => {
  server.registerTool(
    "test_sampling",
    { ...reading("test_sampling"), inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "model")
      return answer.kind === "sampling"
        ? said(`LLM response: ${JSON.stringify(answer.result.content)}`)
        : inputRequired({ inputRequests: { model: inputRequired.createMessage(thought(prompt)) } })
    }
  )
  const form = (name: string, params: Parameters<typeof inputRequired.elicit>[0]) =>
    server.registerTool(name, reading(name), ({ mcpReq }) => {
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
    { ...reading("test_elicitation"), inputSchema: z.object({ message: z.string() }) },
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
  const named = (responses: Parameters<typeof acceptedContent>[0], key: string) =>
    acceptedContent(responses, key, z.object({ name: z.string() }))
  const elicits = (name: string) =>
    server.registerTool(name, reading(name), ({ mcpReq }) => {
      const answer = named(mcpReq.inputResponses, "user_name")
      return answer === undefined
        ? inputRequired({ inputRequests: { user_name: inputRequired.elicit(person) } })
        : said(`Hello, ${answer.name}!`)
    })
  elicits("test_input_required_result_elicitation")
  elicits("test_streaming_elicitation")
  const confirms = (name: string) =>
    server.registerTool(
      name,
      reading(name),
      ({ mcpReq }) =>
        mcpReq.requestState() === "the state" && inputResponse(mcpReq.inputResponses, "confirm").kind === "elicit"
          ? said("state-ok")
          : inputRequired({
            inputRequests: {
              confirm: inputRequired.elicit({
                message: "Please confirm",
                requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
              })
            },
            requestState: "the state"
          })
    )
  confirms("test_input_required_result_request_state")
  confirms("test_input_required_result_tampered_state")
  server.registerTool(
    "test_input_required_result_capabilities",
    reading("test_input_required_result_capabilities"),
    ({ mcpReq }) =>
      inputResponse(mcpReq.inputResponses, "greeting").kind === "sampling"
        ? said("Hello!")
        : inputRequired({
          inputRequests: {
            user_name: inputRequired.elicit(person),
            greeting: inputRequired.createMessage(thought("Write a greeting"))
          }
        })
  )
  server.registerTool(
    "test_missing_capability",
    reading("test_missing_capability"),
    ({ mcpReq }) =>
      inputResponse(mcpReq.inputResponses, "thought").kind === "sampling"
        ? said("thought")
        : inputRequired({ inputRequests: { thought: inputRequired.createMessage(thought("Think")) } })
  )
  server.registerTool(
    "test_input_required_result_sampling",
    reading("test_input_required_result_sampling"),
    ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "capital_question")
      return answer.kind === "sampling"
        ? said(JSON.stringify(answer.result.content))
        : inputRequired({
          inputRequests: { capital_question: inputRequired.createMessage(thought("What is the capital of France?")) }
        })
    }
  )
  server.registerTool(
    "test_input_required_result_list_roots",
    reading("test_input_required_result_list_roots"),
    ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "client_roots")
      return answer.kind === "roots"
        ? said(JSON.stringify(answer.roots))
        : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    }
  )
  server.registerTool(
    "test_input_required_result_multiple_inputs",
    reading("test_input_required_result_multiple_inputs"),
    ({ mcpReq }) => {
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
    }
  )
  server.registerTool(
    "test_input_required_result_multi_round",
    reading("test_input_required_result_multi_round"),
    ({ mcpReq }) => {
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
    }
  )
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
  type Content = ReturnType<typeof text> | ReturnType<typeof embedded> | typeof image
  const user = (...contents: ReadonlyArray<Content>) => ({
    messages: contents.map((content) => ({ role: "user" as const, content }))
  })
  server.registerPrompt(
    "test_simple_prompt",
    about("test_simple_prompt"),
    () => user(text("This is a simple prompt for testing."))
  )
  server.registerPrompt(
    "test_prompt_with_arguments",
    { ...about("test_prompt_with_arguments"), argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))
  )
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { ...about("test_prompt_with_embedded_resource"), argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => user(embedded(resourceUri, "text/plain", "Embedded resource content for testing."))
  )
  server.registerPrompt(
    "test_prompt_with_image",
    about("test_prompt_with_image"),
    () => user(image, text("Please analyze the image above."))
  )
  server.registerPrompt(
    "test_input_required_result_prompt",
    about("test_input_required_result_prompt"),
    ({ mcpReq }) => {
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
    }
  )
}

serveStdio(() => {
  const server = new McpServer({ name: "conforming", version: "1.0.0" }, {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true },
      completions: {},
      logging: {}
    }
  })
  tools(server)
  resources(server)
  prompts(server)
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park", "party"], total: 3, hasMore: false }
  }))
  return server
})
