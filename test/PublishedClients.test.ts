/** Clients of other makers, as they install from npm, at `boocode serve` and through `boocode mcp serve`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as GatewayClients from "./support/GatewayClients.ts"
import { IS_LONG } from "./support/Size.ts"

interface PublishedClient {
  /** Is installed for the test, unless this repository has it. */
  readonly install: ReadonlyArray<string> | null
  /** Connects as the JSON of its argument says, and prints the names of the tools and the answer of `echo_echo`. */
  readonly program: string
  /** What it puts in front of names. */
  readonly prefix?: string
}

const READ = "const way = JSON.parse(process.argv[2])\nconst told = { text: \"hello\" }\n"
const TELL = "const tell = (tools, answer) => console.log(JSON.stringify({ tools, answer: JSON.stringify(answer) }))\n"

const AI_SDK: PublishedClient = {
  install: null,
  program: `import { createMCPClient } from "@ai-sdk/mcp"
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio"
const transport = way.url ? { type: "http", url: way.url } : new StdioMCPTransport(way)
const client = await createMCPClient({ transport })
const tools = await client.tools()
tell(Object.keys(tools), await tools.echo_echo.execute(told, { toolCallId: "1", messages: [] }))
await client.close()`
}

/** Each of them brings hundreds of packages. */
const OTHERS: Readonly<Record<string, PublishedClient>> = {
  "LangChain": {
    install: ["@langchain/mcp-adapters@1.1.4"],
    program: `import { MultiServerMCPClient } from "@langchain/mcp-adapters"
const client = new MultiServerMCPClient({ mcpServers: { boocode: { transport: way.url ? "http" : "stdio", ...way } } })
const tools = await client.getTools()
tell(tools.map(({ name }) => name), await tools.find(({ name }) => name === "echo_echo").invoke(told))
await client.close()`
  },
  "Mastra": {
    install: ["@mastra/mcp@2.0.0"],
    prefix: "boocode_",
    program: `import { MCPClient } from "@mastra/mcp"
const client = new MCPClient({ servers: { boocode: way.url ? { url: new URL(way.url) } : way } })
const tools = await client.listTools()
tell(Object.keys(tools), await tools.boocode_echo_echo.execute(told, {}))
await client.disconnect()`
  },
  "mcp-use": {
    install: ["mcp-use@1.34.6"],
    program: `import { MCPClient } from "mcp-use/client"
const client = MCPClient.fromDict({ mcpServers: { boocode: way } })
const session = await client.createSession("boocode")
tell((await session.listTools()).map(({ name }) => name), await session.callTool("echo_echo", told))
await client.closeAllSessions()`
  },
  "the MCP Inspector": {
    install: ["@modelcontextprotocol/inspector@2.12.0"],
    program: `import { execFileSync } from "node:child_process"
const place = way.url ? [way.url, "--transport", "http"]
  : [way.command, ...way.args, ...Object.entries(way.env).flatMap(([key, value]) => ["-e", key + "=" + value])]
const run = (...more) => JSON.parse(execFileSync(process.execPath,
  ["node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", ...place, ...more], { encoding: "utf8" }))
tell(run("--method", "tools/list").tools.map(({ name }) => name),
  run("--method", "tools/call", "--tool-name", "echo_echo", "--tool-arg", "text=hello"))`
  }
}

const INSTALL = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"]

const ended = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  Effect.promise(async (signal) => {
    const child = spawn(command, args, { cwd, signal, env: { ...process.env, MCP_USE_ANONYMIZED_TELEMETRY: "false" } })
    let [output, errors] = ["", ""]
    child.stdout.on("data", (chunk) => output += String(chunk))
    child.stderr.on("data", (chunk) => errors += String(chunk))
    const [code] = await once(child, "close")
    return { code, output, errors }
  })

/** A folder in which its program runs. */
const prepared = Effect.fnUntraced(function*({ install, program }: PublishedClient) {
  const head = `${READ}${TELL}`
  const folder = yield* Command.folder({ "package.json": "{\"type\":\"module\"}" })
  const imports = program.split("\n").filter((line) => line.startsWith("import ")).join("\n")
  const rest = program.split("\n").filter((line) => !line.startsWith("import ")).join("\n")
  writeFileSync(join(folder, "client.mjs"), `${imports}\n${head}${rest}\n`)
  if (install === null) symlinkSync(join(Command.CHECKOUT, "test", "node_modules"), join(folder, "node_modules"))
  else {
    const { code, errors } = yield* ended("npm", [...INSTALL, ...install], folder)
    assert.strictEqual(code, 0, errors)
  }
  return folder
})

const works = (client: PublishedClient) =>
  Effect.gen(function*() {
    const shared = yield* GatewayClients.shared()
    const server = yield* ChatServer.start(shared.data, { BOOCODE_STATE_DIR: shared.state })
    yield* ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)
    const folder = yield* prepared(client)
    const processes = yield* shared.servers
    const bridge = {
      command: process.execPath,
      args: [join(Command.CHECKOUT, Command.MAIN), "mcp", "serve", "--data", shared.data],
      env: shared.env
    }
    for (const way of [{ url: `${server.url}/mcp` }, bridge]) {
      const { errors, output } = yield* ended(
        process.execPath,
        [join(folder, "client.mjs"), JSON.stringify(way)],
        folder
      )
      assert.match(output, /^\{"tools".*\}$/m, errors)
      const told = JSON.parse(/^\{"tools".*\}$/m.exec(output)?.[0] ?? "{}")
      const { prefix = "" } = client
      assert.includeMembers(told.tools, [`${prefix}files_read_text_file`, `${prefix}echo_echo`])
      assert.include(told.answer, "hello")
    }
    assert.strictEqual(yield* shared.servers, processes)
  })

describe("A client that others publish", Deadline.TEST, () => {
  const clients = IS_LONG ? { "the AI SDK": AI_SDK, ...OTHERS } : { "the AI SDK": AI_SDK }
  for (const [name, client] of Object.entries(clients)) {
    it.live(`lists and calls tools over HTTP and through the bridge: ${name}`, () => works(client))
  }
})
