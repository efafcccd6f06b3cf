/** The first page of the site and its recipes, done as they say, with a scripted model and published servers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import * as ModelServer from "./servers/ModelServer.ts"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Compiled from "./support/Compiled.ts"
import * as Deadline from "./support/Deadline.ts"

/** What a page has one do: commands, or a file to write. */
interface Step {
  readonly language: string
  /** The file that the block is, from the folder that one stands in. */
  readonly file: string | undefined
  readonly text: string
}

const stepsOf = (page: string): ReadonlyArray<Step> =>
  [...readFileSync(join(Command.CHECKOUT, "docs", page), "utf8").matchAll(/^```(\w*)(?: \[(.*)\])?\n([^]*?)^```$/gm)]
    .map(([, language = "", file, text = ""]) => ({ language, file, text }))
    .filter(({ file, language }) => language === "sh" || file !== undefined)

const NODE = [process.execPath, ...Compiled.FLAGS].map((word) => `'${word}'`).join(" ")
const TEST = join(Command.CHECKOUT, "test")

/** The programs that the pages name, without a network. */
const PROGRAMS = {
  "bin/boocode": `#!/bin/sh\nexec ${NODE} '${join(Command.CHECKOUT, Command.MAIN)}' "$@"\n`,
  "bin/npx": `#!/bin/sh
package=$2
shift 2
case $package in
  @playwright/mcp) exec ${NODE} '${TEST}/servers/Playwright.ts' "$@" ;;
  @modelcontextprotocol/*) exec ${NODE} '${TEST}/node_modules/'$package/dist/index.js "$@" ;;
esac
`
}

/** What the model calls when it is asked this, and what it then reads and says. */
const QUESTIONS: ReadonlyArray<{
  readonly question: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly answer: string
}> = [
  {
    question: "Which files are in my workspace?",
    tool: "files_list_directory",
    args: { path: "." },
    answer: "[FILE] plan.md"
  },
  {
    question: "Remember that I drink tea.",
    tool: "memory_create_entities",
    args: { entities: [{ name: "tea", entityType: "drink", observations: ["I drink it"] }] },
    answer: "I drink it"
  },
  {
    question: "What is this project, and where do I begin to read?",
    tool: "code_list_allowed_directories",
    args: {},
    answer: "/project"
  },
  {
    question: "What is the headline of https://example.com/news?",
    tool: "web_browser_navigate",
    args: { url: "https://example.org/" },
    answer: "there is no terminal to answer in"
  }
]

const script: ModelServer.Script = ({ results: [result], text }) => {
  if (result !== undefined) return [ModelServer.text(result.text)]
  const asked = QUESTIONS.find(({ question }) => text.includes(question))
  return [asked === undefined ? ModelServer.text("A title") : ModelServer.call(asked.tool, asked.args)]
}

/** A home with the programs, a project, and a folder to stand in. */
const home = Effect.gen(function*() {
  const folder = yield* Command.folder({
    ...PROGRAMS,
    "project/README.md": "# Rain, a weather station\n",
    "here/data/mcp.json": readFileSync(join(Command.CHECKOUT, "data/mcp.json"), "utf8"),
    "here/data/AGENTS.md": readFileSync(join(Command.CHECKOUT, "data/AGENTS.md"), "utf8"),
    "here/data/workspace/plan.md": ""
  })
  for (const name of Object.keys(PROGRAMS)) chmodSync(join(folder, name), 0o755)
  // Claude Code has one of the servers already.
  const code = { command: "mcp-server-filesystem", args: [join(folder, "project")] }
  writeFileSync(join(folder, ".claude.json"), JSON.stringify({ mcpServers: { code } }))
  const env = { PATH: `${join(folder, "bin")}:${process.env["PATH"]}`, HOME: folder, ...Command.COMPILED }
  return { folder, env }
})

/** Runs commands in this folder, all of which must succeed, and gives what they print. */
const shell = (commands: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const running = promisify(execFile)("/bin/sh", ["-ec", commands], { cwd, env })
    running.child.stdin?.end()
    const { stderr, stdout } = await running
    return stdout + stderr
  })

const write = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Waits until the server would make the call of a question, perhaps after a yes, and gives what it comes to. */
const untilPossible = Effect.fnUntraced(function*(server: ChatServer.ChatServer, text: string) {
  const question = QUESTIONS.find(({ question }) => text.includes(question))
  if (question === undefined) return ""
  const { answer, args, tool } = question
  const [name = ""] = tool.split("_")
  const seen = Effect.gen(function*() {
    const { body } = yield* server.get("/api/mcp/servers")
    // A test reads what it asks for; a wrong shape is a failed assertion.
    const servers = body["servers"] as ReadonlyArray<{ readonly name: string; readonly state: string }>
    const explained = yield* server.post("/api/permissions/explain", { tool, args })
    return `${servers.find((one) => one.name === name)?.state} ${String(explained.body["outcome"])}`
  })
  assert.match(yield* ChatServer.until(seen, (seen) => POSSIBLE.test(seen)), POSSIBLE, tool)
  return answer
})

const POSSIBLE = /^ready (allow|ask)$/

describe("A reader", Deadline.TEST, () => {
  it.live("of the first page, and of the recipes for one machine, gets what they promise", () =>
    Effect.gen(function*() {
      const { env, folder } = yield* home
      const model = yield* ModelServer.make(script, { models: [{ id: "qwen3", object: "model" }] })
      const here = join(folder, "here")
      const server = yield* AppServer.start(join(here, "data"), env)
      const given = { ...env, BOOCODE_STATE_DIR: join(here, "state"), MCP_CONFIG_PATH: join(here, "data/mcp.json") }
      const pages = ["start.md", "recipes/code-base.md", "recipes/browser.md", "recipes/claude-code.md"]
      // Where the server runs already, the first commands of the first page have been done.
      for (const { file, text } of pages.flatMap(stepsOf).slice(1)) {
        if (file !== undefined) write(join(here, file), text)
        else {
          const answer = yield* untilPossible(server, text)
          const commands = text.replace(/^alias .*$/m, "").replace("http://127.0.0.1:11434", model.url)
          assert.include(yield* shell(commands, here, given), answer)
        }
      }
      const { mcpServers } = JSON.parse(readFileSync(join(folder, "project/.mcp.json"), "utf8"))
      assert.deepStrictEqual(Object.keys(mcpServers), ["code", "files", "memory", "web"])
      assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
    }))

  it.live("of the recipe for a team reaches the server with its token", () =>
    Effect.gen(function*() {
      const { env, folder } = yield* home
      const [making, settings, serving, asking, ...others] = stepsOf("recipes/team.md").map(({ text }) => text)
      assert.deepStrictEqual(others, [])
      yield* shell(making ?? "", folder, env)
      const team = join(folder, "team")
      write(join(team, "data/settings.json"), settings ?? "")
      assert.strictEqual(serving, "boocode serve --data data\n")
      const server = yield* AppServer.start(join(team, "data"), env)
      const token = readFileSync(join(team, "state/token"), "utf8").trim()
      const printed = Effect.sync(() => server.stdout() + server.stderr())
      assert.include(yield* ChatServer.until(printed, (text) => text.includes(token)), token)
      const commands = (asking ?? "").replace("https://chat.example", server.url)
      assert.include(yield* shell(commands.replace("TOKEN=TOKEN", `TOKEN=${token}`), folder, env), "files")
      assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
    }))
})
