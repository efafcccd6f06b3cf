import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as PastedText from "../../src/exchange/PastedText.ts"
import { Environment } from "../../src/index.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"

const read = (text: string, variables: Readonly<Record<string, string>> = {}) =>
  PastedText.read(text, "/d/mcp.json").pipe(
    Effect.provide(Layer.mergeAll(Path.layer, Environment.layer(variables), FileSystem.layerNoop({})))
  )

const block = (name: string, entry: unknown) => JSON.stringify({ mcpServers: { [name]: entry } }, null, 2)
const base64 = (value: unknown) => btoa(JSON.stringify(value))

const npx = (...args: ReadonlyArray<string>) => ({ command: "npx", args })
const uvx = (...args: ReadonlyArray<string>) => ({ command: "uvx", args })
const http = (url: string, more: object = {}) => ({ type: "http", url, ...more })

type Row = readonly [text: string, shape: PastedText.PastedShape, servers: Readonly<Record<string, unknown>>]

/** Blocks as authors of servers publish them. */
const PUBLISHED: ReadonlyArray<Row> = ([
  ["bing-cn-mcp", npx("bing-cn-mcp")],
  ["yahoo-finance", uvx("mcp-yahoo-finance")],
  ["npm-sentinel-mcp", npx("-y", "@nekzus/mcp-server@latest")],
  ["opgg-mcp", npx("-y", "supergateway", "--streamableHttp", "https://mcp-api.op.gg/mcp")],
  ["pdf-reader-mcp", { ...npx("@sylphlab/pdf-reader-mcp"), name: "PDF Reader (npx)" }],
  ["biomcp", { command: "uv", args: ["run", "--with", "biomcp-python", "biomcp", "run"] }],
  ["time", uvx("mcp-server-time", "--local-timezone=America/New_York")],
  ["airbnb", npx("-y", "@openbnb/mcp-server-airbnb", "--ignore-robots-txt")],
  ["Ant Design Components", npx("@jzone-mcp/antd-components-mcp")],
  ["weather", uvx("--from", "git+https://github.com/microagents/mcp-weather-free.git", "mcp-weather-free")],
  ["sitemap", { ...uvx("--with", "mcp==1.9.0", "sitemap-mcp-server"), env: { TRANSPORT: "stdio" } }],
  ["painter", npx("-y", "github:flrngel/mcp-painter")],
  ["basic-memory", uvx("basic-memory", "mcp")],
  ["filesystem", npx("-y", "@modelcontextprotocol/server-filesystem", "/")],
  ["excel", { ...npx("--yes", "@negokaz/excel-mcp-server"), env: { EXCEL_MCP_PAGING_CELLS_LIMIT: "4000" } }],
  ["mcp-simple-arxiv", uvx("mcp-simple-arxiv==0.2.3", "mcp-simple-arxiv")]
] as const).map(([name, entry]): Row => [block(name, entry), "mcpServers", { [name]: entry }])

const FILES = npx("-y", "@modelcontextprotocol/server-filesystem", ".")

const JSONS: ReadonlyArray<Row> = [
  ["{ \"command\": \"npx\", \"args\": [\"-y\", \"firecrawl-mcp\"], }", "entry", {
    firecrawl: npx("-y", "firecrawl-mcp")
  }],
  ["\"fetch\": { \"command\": \"uvx\", \"args\": [\"mcp-server-fetch\"] },", "mcpServers", {
    fetch: uvx("mcp-server-fetch")
  }],
  ["```json\n{ \"a\": { \"url\": \"https://a.example/mcp\" } }\n```", "mcpServers", {
    a: { url: "https://a.example/mcp" }
  }],
  [
    `Add this to your file:\n\n${block("git", uvx("mcp-server-git"))}\n\nThen restart.`,
    "mcpServers",
    { git: uvx("mcp-server-git") }
  ],
  ["{ “command”: “uvx”, “args”: [“mcp-server-git”] }", "entry", { git: uvx("mcp-server-git") }],
  ["{ \"command\": \"npx -y @upstash/context7-mcp\" }", "entry", { context7: npx("-y", "@upstash/context7-mcp") }],
  [
    "{ \"type\": \"http\", \"url\": \"https://mcp.linear.app/mcp\" }",
    "entry",
    { linear: http("https://mcp.linear.app/mcp") }
  ],
  [
    "{ \"servers\": { \"gh\": { \"type\": \"http\", \"url\": \"https://api.githubcopilot.com/mcp/\" } } }",
    "vscode",
    { gh: http("https://api.githubcopilot.com/mcp/") }
  ],
  ["{ \"mcp\": { \"x\": { \"type\": \"local\", \"command\": [\"bun\", \"x\", \"my-mcp\"] } } }", "opencode", {
    x: { command: "bun", args: ["x", "my-mcp"] }
  }],
  ["{ \"mcpServers\": { \"w\": { \"serverUrl\": \"https://w.example/mcp\" } } }", "windsurf", {
    w: { url: "https://w.example/mcp" }
  }],
  ["{ \"mcpServers\": { \"g\": { \"httpUrl\": \"https://g.example/mcp\" } } }", "gemini", {
    g: { url: "https://g.example/mcp" }
  }],
  ["{ \"command\": \"x\", \"env\": { \"T\": \"${env:TOKEN}\" } }", "entry", {
    x: { command: "x", env: { T: "${TOKEN}" } }
  }],
  ["[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\"-y\", \"docs-mcp\"]\n", "codex", { docs: npx("-y", "docs-mcp") }],
  ["extensions:\n  memo:\n    type: stdio\n    cmd: uvx\n    args: [memo-mcp]\n    enabled: true\n", "goose", {
    memo: { ...uvx("memo-mcp"), enabled: true }
  }],
  ["mcpServers:\n  memo:\n    command: uvx\n    args: [memo-mcp]\n", "mcpServers", { memo: uvx("memo-mcp") }]
]

const COMMANDS: ReadonlyArray<Row> = [
  ["npx -y @modelcontextprotocol/server-filesystem .", "command", { filesystem: FILES }],
  ["$ npx -y @modelcontextprotocol/server-filesystem .", "command", { filesystem: FILES }],
  ["```bash\nnpx -y \\\n  @modelcontextprotocol/server-filesystem .\n```", "command", { filesystem: FILES }],
  ["uvx mcp-server-git --repository \"my folder\"", "command", {
    git: uvx("mcp-server-git", "--repository", "my folder")
  }],
  ["GITHUB_TOKEN=abc npx -y server-github", "command", {
    github: { ...npx("-y", "server-github"), env: { GITHUB_TOKEN: "abc" } }
  }],
  ["export API_KEY=abc\nnpx tavily-mcp@0.1.3", "command", {
    tavily: { ...npx("tavily-mcp@0.1.3"), env: { API_KEY: "abc" } }
  }],
  ["env A=1 B='two words' ./server --stdio", "command", {
    server: { command: "./server", args: ["--stdio"], env: { A: "1", B: "two words" } }
  }],
  ["docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server", "command", {
    github: { command: "docker", args: ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"] }
  }],
  ["node /home/me/weather/build/index.js", "command", {
    weather: { command: "node", args: ["/home/me/weather/build/index.js"] }
  }],
  ["uv --directory ~/src/sqlite run mcp-server-sqlite --db $HOME/a.db", "command", {
    sqlite: {
      command: "uv",
      args: ["--directory", "${HOME}/src/sqlite", "run", "mcp-server-sqlite", "--db", "${HOME}/a.db"]
    }
  }],
  ["cmd /c npx -y chrome-devtools-mcp@latest", "command", {
    "chrome-devtools": { command: "cmd", args: ["/c", "npx", "-y", "chrome-devtools-mcp@latest"] }
  }],
  ["C:\\tools\\mcp.exe --root C:\\Users\\me", "command", {
    mcp: { command: "C:\\tools\\mcp.exe", args: ["--root", "C:\\Users\\me"] }
  }],
  ["python -m mcp_server_time # the time", "command", { time: { command: "python", args: ["-m", "mcp_server_time"] } }],
  ["npx mcp-remote https://x.example/sse?a=1&b=2", "command", {
    x: npx("mcp-remote", "https://x.example/sse?a=1&b=2")
  }],
  ["npx a-mcp\nnpx b-mcp", "command", { a: npx("a-mcp"), b: npx("b-mcp") }],
  ["@modelcontextprotocol/server-memory", "package", { memory: npx("-y", "@modelcontextprotocol/server-memory") }],
  ["@upstash/context7-mcp@1.0.0", "package", { context7: npx("-y", "@upstash/context7-mcp@1.0.0") }]
]

const ADDRESSES: ReadonlyArray<Row> = [
  ["https://mcp.context7.com/mcp", "url", { context7: http("https://mcp.context7.com/mcp") }],
  ["  https://mcp.deepwiki.com/sse\n", "url", { deepwiki: { type: "sse", url: "https://mcp.deepwiki.com/sse" } }],
  ["http://localhost:3000/mcp", "url", { "local-3000": http("http://localhost:3000/mcp") }],
  ["localhost:8931/sse", "url", { "local-8931": { type: "sse", url: "http://localhost:8931/sse" } }],
  ["mcp.notion.com/mcp", "url", { notion: http("https://mcp.notion.com/mcp") }],
  ["https://api.githubcopilot.com/mcp/", "url", { githubcopilot: http("https://api.githubcopilot.com/mcp/") }],
  [
    `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "pw", ...npx("@playwright/mcp@latest") }))}`,
    "link",
    {
      pw: { name: "pw", ...npx("@playwright/mcp@latest") }
    }
  ],
  [
    `https://insiders.vscode.dev/redirect/mcp/install?name=pw&config=${
      encodeURIComponent(JSON.stringify(npx("@playwright/mcp")))
    }`,
    "link",
    { pw: npx("@playwright/mcp") }
  ],
  [
    `cursor://anysphere.cursor-deeplink/mcp/install?name=pw&config=${
      base64({ command: "npx @playwright/mcp@latest" })
    }`,
    "link",
    { pw: npx("@playwright/mcp@latest") }
  ],
  [`https://cursor.com/en/install-mcp?name=n&config=${base64({ url: "https://n.example/mcp" })}`, "link", {
    n: { url: "https://n.example/mcp" }
  }],
  [`lmstudio://add_mcp?name=n&config=${base64(npx("n"))}`, "link", { n: npx("n") }],
  ["goose://extension?cmd=uvx&arg=mcp-server-fetch&id=fetch&name=Fetch", "link", { fetch: uvx("mcp-server-fetch") }],
  ["code --add-mcp '{\"name\":\"pw\",\"command\":\"npx\",\"args\":[\"@playwright/mcp@latest\"]}'", "link", {
    pw: { name: "pw", ...npx("@playwright/mcp@latest") }
  }]
]

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))
const ASKING = { command: "docker", args: ["run", "-i", "x"], env: { TOKEN: "${input:token}" } }
const ASKED = { ...ASKING, env: { TOKEN: "${INPUT_TOKEN}" } }
const INPUTS = [{ id: "token", type: "promptString", description: "A token", password: true }]

/** The links of _Install_ buttons, as editors and the pages that lead to them write them. */
const LINKS: ReadonlyArray<Row> = [
  [`vscode-insiders:mcp/install?${json({ name: "n", url: "https://n.example/mcp" })}`, "link", {
    n: { name: "n", url: "https://n.example/mcp" }
  }],
  [`https://vscode.dev/redirect/mcp/install?name=pw&config=${json(npx("pw"))}&quality=insiders`, "link", {
    pw: npx("pw")
  }],
  [
    `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${json({ name: "pw", ...npx("pw") })}`)}`,
    "link",
    {
      pw: { name: "pw", ...npx("pw") }
    }
  ],
  [`https://insiders.vscode.dev/redirect/mcp/install?name=gh&inputs=${json(INPUTS)}&config=${json(ASKING)}`, "link", {
    gh: ASKED
  }],
  [`vscode:mcp/install?${json({ name: "gh", inputs: INPUTS, ...ASKING })}`, "link", { gh: ASKED }],
  [`https://cursor.com/install-mcp?name=n&config=${base64({ command: "n", args: [">>>???"] })}`, "link", {
    n: { command: "n", args: [">>>???"] }
  }],
  [`https://www.cursor.com/en/install-mcp?name=n&config=${json(npx("n"))}`, "link", { n: npx("n") }]
]

const ADDS: ReadonlyArray<Row> = [
  ["claude mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", "claude-command", { files: FILES }],
  ["claude mcp add playwright npx @playwright/mcp@latest", "claude-command", {
    playwright: npx("@playwright/mcp@latest")
  }],
  ["claude mcp add puppeteer npx -y @x/puppeteer", "claude-command", { puppeteer: npx("-y", "@x/puppeteer") }],
  ["claude mcp add -s user airtable --env AIRTABLE_API_KEY=k A=b -- npx -y airtable-mcp-server", "claude-command", {
    airtable: { ...npx("-y", "airtable-mcp-server"), env: { AIRTABLE_API_KEY: "k", A: "b" } }
  }],
  ["claude mcp add --transport http notion https://mcp.notion.com/mcp", "claude-command", {
    notion: http("https://mcp.notion.com/mcp")
  }],
  ["claude mcp add --transport sse asana https://mcp.asana.com/sse", "claude-command", {
    asana: { type: "sse", url: "https://mcp.asana.com/sse" }
  }],
  [
    "claude mcp add --transport http secure https://api.example.com/mcp \\\n  --header \"Authorization: Bearer $TOKEN\"",
    "claude-command",
    { secure: http("https://api.example.com/mcp", { headers: { Authorization: "Bearer ${TOKEN}" } }) }
  ],
  ["claude mcp add-json w '{\"type\":\"stdio\",\"command\":\"/bin/w\",\"args\":[\"--k\"]}'", "claude-command", {
    w: { type: "stdio", command: "/bin/w", args: ["--k"] }
  }],
  ["claude mcp add one -- npx one\nclaude mcp add two -- npx two", "claude-command", {
    one: npx("one"),
    two: npx("two")
  }],
  ["codex mcp add context7 -- npx -y @upstash/context7-mcp", "codex-command", {
    context7: npx("-y", "@upstash/context7-mcp")
  }],
  ["codex mcp add linear --url https://mcp.linear.app/mcp --bearer-token-env-var LINEAR", "codex-command", {
    linear: http("https://mcp.linear.app/mcp", { headers: { Authorization: "Bearer ${LINEAR}" } })
  }],
  ["codex mcp add db --env DB_URL=x --env MODE=ro -- db-mcp", "codex-command", {
    db: { command: "db-mcp", env: { DB_URL: "x", MODE: "ro" } }
  }],
  [
    "gemini mcp add -e K=v --timeout 5000 --exclude-tools rm,mv my-stdio python server.py --port 8080",
    "gemini-command",
    {
      "my-stdio": {
        command: "python",
        args: ["server.py", "--port", "8080"],
        env: { K: "v" },
        timeout: 5000,
        tools: ["*", "!rm", "!mv"]
      }
    }
  ],
  ["gemini mcp add --transport http h http://localhost:3000/mcp/ -H 'X-Key: abc' --trust", "gemini-command", {
    h: http("http://localhost:3000/mcp/", { headers: { "X-Key": "abc" } })
  }],
  ["boocode mcp add docs --url https://docs.example/mcp", "boocode-command", {
    docs: http("https://docs.example/mcp")
  }],
  ["boocode mcp add f --timeout 30s --startup-timeout '1 minute' -- uvx f", "boocode-command", {
    f: { ...uvx("f"), timeout: "30 seconds", startupTimeout: "1 minute" }
  }],
  ["npx -y pnpm@12 boocode mcp add f --disabled -- uvx f", "boocode-command", { f: { ...uvx("f"), enabled: false } }]
]

const ROWS = [...PUBLISHED, ...JSONS, ...COMMANDS, ...ADDRESSES, ...LINKS, ...ADDS]

/** Texts of which nothing can come, with words of the message or the hint. */
const PROBLEMS: ReadonlyArray<readonly [string, RegExp]> = [
  ["", /nothing to read/],
  ["{ \"mcpServers\": { \"a\": { \"command\": } } }", /expected a value/],
  ["{ \"tool_servers\": { \"a\": { \"command\": \"x\" } } }", /another application/],
  ["cd /srv && npx server", /&& is an operator/],
  ["npx server | tee log", /\| is an operator/],
  ["npx server --key $(pass show key)", /inside of a command/],
  ["npx server --name \"half", /quote is not closed/],
  ["vscode:mcp/install?%7B%22name%22%3A%22pw%22%2C%22comm", /this link is damaged/],
  ["vscode:mcp/install?%7", /damaged/],
  ["vscode:mcp/install", /damaged/],
  ["vscode:mcp/by-name/", /damaged/],
  ["https://vscode.dev/redirect/mcp/install?name=pw", /damaged/],
  ["https://vscode.dev/redirect?url=https%3A%2F%2Fevil.example", /damaged/],
  [`cursor://anysphere.cursor-deeplink/mcp/install?name=pw&config=${base64(npx("pw")).slice(0, -9)}`, /damaged/],
  ["cursor://anysphere.cursor-deeplink/mcp/install?name=pw", /damaged/],
  ["https://cursor.com/en/install-mcp?name=pw&config=%25%25", /damaged/],
  ["https://cursor.com/install-mcp", /damaged/],
  ["goose://extension?name=x", /damaged/],
  ["vscode:mcp/by-name/io.github.acme%2Fweather", /names io\.github\.acme\/weather of the MCP registry$/],
  ["ws://localhost:3000/mcp", /ws: is not a way/],
  ["file:///etc/passwd", /file: is not a way/],
  ["https://github.com/upstash/context7", /page about a server/],
  ["https://www.npmjs.com/package/@upstash/context7-mcp", /page about a server/],
  ["claude mcp list", /adds no server/],
  ["claude mcp add files", /neither what to start/],
  ["claude mcp add --what x -- npx x", /--what is not known/],
  ["A=1", /no command/],
  ["Please install the server and restart.", /neither JSON nor a command/],
  ["boocode mcp add f --timeout 30 -- uvx f", /--timeout needs a unit: 30s for 30 seconds, 30ms/]
]

/** Entries that can never work. */
const REFUSED: ReadonlyArray<readonly [string, RegExp]> = [
  ["{ \"command\": \"cd x && npx y\" }", /needs a shell/],
  ["{ \"command\": \"npx\", \"args\": [\"x\", \"|\", \"y\"] }", /needs a shell/],
  ["{ \"command\": \"\" }", /command: expected a text that is not empty/],
  ["{ \"args\": [\"x\"] }", /neither "command" nor "url"/],
  ["{ \"url\": \"ws://x.example\" }", /ws: is not a way/],
  ["{ \"url\": \"no address\" }", /not an address/],
  ["{ \"command\": \"x\", \"url\": \"https://x.example\" }", /together/],
  ["npm install -g some-mcp", /installs something/],
  ["pip install some-mcp", /installs something/],
  ["npx -y @smithery/cli install x --client claude", /installs something/],
  ["git clone https://github.com/x/y", /installs something/],
  ["cd somewhere", /no program/]
]

const WARNED: ReadonlyArray<readonly [string, string | null, RegExp]> = [
  ["{ \"command\": \"npx\", \"args\": [\"-y foo\"] }", "args[0]", /two arguments in one: -y/],
  [
    "{ \"command\": \"x\", \"args\": [\"--header Authorization: Bearer abc\"] }",
    "args[0]",
    /--header and what follows/
  ],
  ["{ \"command\": \"docker\", \"args\": [\"run -i --rm image\"] }", "args[0]", /several arguments/],
  ["{ \"command\": \"npx -y foo\" }", "command", /3 words/],
  ["docker run --rm mcp/fetch", "args", /without -i/],
  ["docker run -it --rm mcp/fetch", "args", /needs a terminal/],
  ["sudo npx foo", "command", /asks for a password/],
  ["{ \"command\": \"x\", \"args\": [\"~/notes\"] }", "args[0]", /begins with ~/],
  ["{ \"command\": \"x\", \"env\": { \"API_KEY\": \"YOUR_API_KEY\" } }", "env.API_KEY", /README/],
  ["{ \"command\": \"x\", \"env\": { \"API_KEY\": \"<your-api-key>\" } }", "env.API_KEY", /README/],
  ["{ \"command\": \"x\", \"args\": [\"/path/to/folder\"] }", "args[0]", /README/],
  ["npx foo --token <TOKEN>", "args[2]", /README/],
  ["{ \"command\": \"x\", \"environment\": {} }", "environment", /unknown key/],
  ["{ \"command\": \"x\", \"env\": { \"A\": \"${NOT_SET}\" } }", "env.A", /needs the variable NOT_SET/]
]

const valueOf = (text: string) => Result.getOrNull(Result.map(JsonNode.parse(text), JsonNode.toValue))

describe("PastedText", () => {
  it("has a table of more than sixty texts", () => assert.isAbove(ROWS.length, 60))

  it.effect("understands each of them", () =>
    Effect.gen(function*() {
      for (const [text, shape, servers] of ROWS) {
        const pasted = yield* read(text)
        assert.deepStrictEqual(
          Object.fromEntries(pasted.servers.map(({ entry, name }) => [name, entry])),
          servers,
          text
        )
        assert.strictEqual(pasted.shape, shape, text)
        for (const { entry, refused, text: written } of pasted.servers) {
          assert.isNull(refused, text)
          assert.deepStrictEqual(valueOf(written), entry, text)
        }
      }
    }))

  it.effect("says why nothing comes of a text, and what to do", () =>
    Effect.gen(function*() {
      for (const [text, words] of PROBLEMS) {
        const { problems, servers, shape } = yield* read(text)
        assert.deepStrictEqual([servers, shape, problems.length], [[], null, 1], text)
        assert.match(problems[0]?.message ?? "", words)
        assert.isNotEmpty(problems[0]?.hint, text)
      }
    }))

  it.effect("gives the name of the published server that a link names", () =>
    Effect.gen(function*() {
      const { published } = yield* read("vscode-insiders:mcp/by-name/io.github.acme/weather")
      assert.strictEqual(published, "io.github.acme/weather")
      assert.isNull((yield* read("vscode:mcp/install")).published)
    }))

  it.effect("refuses what can never work", () =>
    Effect.gen(function*() {
      for (const [text, words] of REFUSED) {
        const { servers } = yield* read(text)
        assert.match(servers[0]?.refused?.message ?? "", words, text)
        assert.isNotEmpty(servers[0]?.refused?.hint, text)
      }
    }))

  it.effect("warns about slips, at their keys", () =>
    Effect.gen(function*() {
      for (const [text, key, words] of WARNED) {
        const { servers } = yield* read(text)
        const warning = servers[0]?.warnings.find((one) => one.key === key && words.test(one.message))
        assert.isDefined(warning, `${text} ${JSON.stringify(servers)}`)
        assert.isNotEmpty(warning?.hint)
        assert.isNull(servers[0]?.refused, text)
      }
    }))

  it.effect("has nothing to say about what is fine, and knows the variables that are set", () =>
    Effect.gen(function*() {
      for (const text of [block("a", { ...npx("-y", "x"), env: { A: "${SET}", B: "${UNSET:-}" } }), "sh -c 'a && b'"]) {
        assert.deepStrictEqual((yield* read(text, { SET: "1" })).servers[0]?.warnings, [], text)
      }
    }))

  it.effect("says where the JSON is wrong", () =>
    Effect.gen(function*() {
      const { problems } = yield* read("{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" \"args\": [] }\n  }\n}")
      assert.deepInclude(problems[0], { line: 3, column: 27, message: "expected a comma" })
    }))

  it.effect("keeps the comments of a native entry", () =>
    Effect.gen(function*() {
      const { servers } = yield* read(
        "{\n  \"mcpServers\": {\n    \"a\": {\n      // why\n      \"command\": \"npx -y b\",\n    }\n  }\n}"
      )
      assert.strictEqual(
        servers[0]?.text,
        "{\n  // why\n  \"command\": \"npx\",\n  \"args\": [\"-y\", \"b\"],\n}"
      )
    }))

  it.effect("gives servers without a name names of their own", () =>
    Effect.gen(function*() {
      const { servers } = yield* read("npx fetch-mcp\nuvx mcp-server-fetch")
      assert.deepStrictEqual(servers.map(({ name }) => name), ["fetch", "fetch-2"])
    }))

  it.effect.prop("says something about every text", [
    Schema.Array(
      Schema.Union([
        Schema.String,
        Schema.Literals([
          "{",
          "}",
          "\"mcpServers\":",
          "\"a\":",
          "'",
          "\\",
          "\n",
          " ",
          "claude mcp add",
          "-e",
          "--",
          "https://",
          "x"
        ])
      ])
    ).check(Schema.isMaxLength(8))
  ], ([pieces]) =>
    Effect.gen(function*() {
      const { problems, servers } = yield* read(pieces.join(""))
      assert.isTrue(servers.length > 0 || problems.length > 0)
    }))

  it.effect("reads large texts, and those with many servers or commands, within seconds", () =>
    Effect.gen(function*() {
      const many = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`s${at}`, { command: "x" }]))
      assert.strictEqual((yield* read(JSON.stringify({ mcpServers: many }))).servers.length, 2000)
      for (
        const text of ["your".repeat(25_000), "a ".repeat(25_000), "-".repeat(100_000), "npx x\n".repeat(12_000)]
      ) {
        yield* read(text)
      }
    }))
})
