import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AgentFile from "../../src/agents/AgentFile.ts"
import { Agents } from "../../src/agents/Agents.ts"
import * as ToolPatterns from "../../src/agents/ToolPatterns.ts"
import { CurrentUser, FIRST, type User } from "../../src/users/CurrentUser.ts"
import { asPerson } from "../support/AsPerson.ts"
import * as MemoryFiles from "../support/MemoryFiles.ts"

const parse = (...lines: ReadonlyArray<string>) => AgentFile.parse(lines.join("\n"), "AGENTS.md")
const toolsOf = (...lines: ReadonlyArray<string>) => parse("---", "name: A", ...lines, "---").agents[0]?.tools
const problemsOf = (...lines: ReadonlyArray<string>) =>
  parse("---", "name: A", ...lines, "---").problems.map(({ line, message }) => `${line} ${message}`)

describe("AgentFile", () => {
  it("reads every key, and the prompt up to the next agent", () => {
    const { agents, problems } = parse(
      "# My agents",
      "",
      "---",
      "name: Architect",
      "description: \"Draws: boxes\"",
      "model: openai/gpt-5",
      "tools: [view_file, files_*]",
      "steps: 7",
      "temperature: 0.5",
      "---",
      "You draw.",
      "",
      "Boxes only.",
      "---",
      "name: Second",
      "---",
      "You are second."
    )
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(agents, [
      {
        name: "Architect",
        description: "Draws: boxes",
        model: "openai/gpt-5",
        tools: ["view_file", "files_*"],
        steps: 7,
        temperature: 0.5,
        prompt: "You draw.\n\nBoxes only.",
        file: "AGENTS.md",
        line: 3
      },
      {
        name: "Second",
        description: null,
        model: null,
        tools: null,
        steps: 25,
        temperature: null,
        prompt: "You are second.",
        file: "AGENTS.md",
        line: 14
      }
    ])
  })

  it("refuses a key in the place of a model, and does not repeat it", () => {
    const key = "sk-ant-api03-Zq8rT2vLx0Pa7Kd3"
    for (const model of [key, `anthropic/${key}`]) {
      const { agents, problems } = parse("---", "name: A", `model: ${model}`, "---")
      assert.deepStrictEqual(agents, [])
      assert.deepStrictEqual(problems.map(({ line, message }) => `${line} ${message}`), [
        "3 model: expected the id of a model, for instance openai/gpt-5, and never a key"
      ])
    }
  })

  it("keeps unquoted stars and denials, which YAML takes for aliases and tags (R50)", () => {
    assert.deepStrictEqual(toolsOf("tools: [*, !web_*]"), ["*", "!web_*"])
    assert.deepStrictEqual(toolsOf("tools: [ \"*\", '!web_*', !\"x_y\", ! z ]"), ["*", "!web_*", "!x_y", "!z"])
    assert.deepStrictEqual(toolsOf("tools:", "  - *", "  - !web_*  # not the web"), ["*", "!web_*"])
    assert.deepStrictEqual(toolsOf("tools:", "- '*'", "", "- \"!web_*\""), ["*", "!web_*"])
    assert.deepStrictEqual(toolsOf("tools: *, !web_*"), ["*", "!web_*"])
    assert.deepStrictEqual(toolsOf("tools: \"*, !web_*\" # all but the web"), ["*", "!web_*"])
    assert.deepStrictEqual(toolsOf("tools: [", "  *,  # all", "  !web_*,", "]"), ["*", "!web_*"])
    assert.deepStrictEqual(toolsOf("tools: *"), ["*"])
    assert.deepStrictEqual(toolsOf("tools: view_file,", "  grep"), ["view_file", "grep"])
  })

  it("refuses anchors and aliases at once, however much they would stand for", () => {
    const bomb = (of: (name: string, items: string) => string) =>
      "abcdefghi".split("").map((name, at) =>
        of(name, Array(10).fill(at === 0 ? "x" : `*${"abcdefghi"[at - 1]}`).join())
      )
    const refused =
      "not YAML as it is read here: there are no anchors and aliases; write the value out, or put it in quotes"
    assert.deepStrictEqual(problemsOf(...bomb((name, items) => `${name}: &${name} [${items}]`)), [`3 ${refused}`])
    const nested = problemsOf(...bomb((name, items) => `${name}: {v: &${name} [${items}]}`))
    assert.match(nested.join(), /^1 not YAML: [^,]*$/)
    assert.deepStrictEqual(problemsOf("description: *fast*"), [`3 ${refused}`])
    assert.deepStrictEqual(problemsOf("description: &fast one"), [`3 ${refused}`])
    const { agents } = parse("---", "name: A & B", "description: \"*x*, &y\"", "---")
    assert.deepStrictEqual(agents.map(({ description, name }) => [name, description]), [["A & B", "*x*, &y"]])
  })

  it("reads a long file of lines that open code blocks in a moment", () => {
    const { agents } = parse(...Array(50_000).fill("```a"), "---", "name: A", "---", "~~~", "---", "name: B", "~~~")
    assert.deepStrictEqual(agents.map(({ name }) => name), ["A"])
  })

  it("tells no tools from every tool, and refuses a bare key", () => {
    assert.deepStrictEqual(toolsOf("tools: []"), [])
    assert.deepStrictEqual(toolsOf("tools: [ ]  # none"), [])
    assert.strictEqual(toolsOf("steps: 3"), null)
    for (const bare of ["tools:", "tools:   # later", "tools: null", "tools: ~"]) {
      assert.match(problemsOf(bare, "steps: 3")[0] ?? "", /^3 tools: has no value/, bare)
      assert.strictEqual(toolsOf(bare), undefined, bare)
    }
  })

  it("reads what an agent wants asked as it reads its tools", () => {
    const asksOf = (...keys: ReadonlyArray<string>) =>
      parse("---", "name: A", ...keys, "---", "a").agents.map(({ ask }) => ask)
    assert.deepStrictEqual(asksOf("ask: [files_write_*, !files_write_log]"), [["files_write_*", "!files_write_log"]])
    assert.deepStrictEqual(asksOf("ask:", "  - *", "  - !files_read"), [["*", "!files_read"]])
    assert.deepStrictEqual(asksOf("tools: files_*", "\"ask\": *", "steps: 3"), [["*"]])
    assert.deepStrictEqual(asksOf("ask: []"), [[]])
    assert.deepStrictEqual(asksOf("steps: 3"), [undefined])
  })

  it("refuses an agent whose ask key would ask about less than was meant", () => {
    const lost = [
      ["ask:", "3 ask: has no value"],
      ["ask: ~", "3 ask: has no value"],
      ["ask: [files_write", "3 ask: the list has no closing ]"],
      ["ask: !files_read", "3 ask: has exceptions only"],
      ["ask: files.write", "3 ask: \"files.write\" can match no tool"],
      ["ask: a\nask: b", "3 ask: is there twice"],
      ["asks: files_*", "3 asks is no key of an agent; write ask:"],
      ["Ask: files_*", "3 Ask is no key of an agent; write ask:"],
      ["aks: *", "not YAML"],
      ["aks: \"*\"", "3 aks is no key of an agent; write ask:"],
      ["approvals:\n  ask: [\"*\"]", "3 approvals is no key of an agent; write ask:"],
      ["needsApproval: files_write", "3 needsApproval is no key of an agent; write ask:"]
    ] as const
    for (const [keys, words] of lost) {
      const { agents, problems } = parse("---", "name: A", ...keys.split("\n"), "---", "a")
      assert.deepStrictEqual(agents, [], keys)
      assert.include(problems.map(({ line, message }) => `${line} ${message}`).join("\n"), words, keys)
    }
  })

  it("refuses a tools list whose denials would get lost", () => {
    for (
      const lost of [
        "[*, !web.*]",
        "[*, !!web_*]",
        "[*, \"!web_*]",
        "[*, !web_*",
        "[*, !web_*] !x",
        "* !web_*",
        "[*, ! ]",
        "[*,, !web_*]",
        "{*, !web_*}",
        "|"
      ]
    ) {
      assert.strictEqual(toolsOf(`tools: ${lost}`), undefined, lost)
      assert.match(problemsOf(`tools: ${lost}`)[0] ?? "", /^3 tools: /, lost)
    }
    assert.strictEqual(toolsOf("tools:", "  - *", "  !web_*"), undefined)
    assert.strictEqual(toolsOf("tools: [*]", "tools: [!web_*]"), undefined)
  })

  it("keeps an allowance that can match nothing, and says so", () => {
    assert.deepStrictEqual(toolsOf("tools: [files.read, grep]"), ["files.read", "grep"])
    assert.match(problemsOf("tools: [files.read, grep]")[0] ?? "", /"files.read" can match no tool/)
  })

  it("does not take a rule, or an example in a code fence, for an agent", () => {
    const { agents, problems } = parse(
      "---",
      "name: Prompt Builder",
      "---",
      "Before the rule.",
      "---",
      "Note: after the rule.",
      "---",
      "```markdown",
      "---",
      "name: Example",
      "tools:",
      "---",
      "```",
      "~~~~",
      "```",
      "---",
      "name: Other",
      "---",
      "~~~~",
      "End.",
      "---",
      "name: Real",
      "---",
      "Real."
    )
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(agents.map(({ name }) => name), ["Prompt Builder", "Real"])
    assert.match(agents[0]?.prompt ?? "", /^Before the rule\.\n---\nNote: after[^]*name: Other[^]*End\.$/)
  })

  it("does not lose later agents in a code fence that nothing closes", () => {
    const { agents } = parse("---", "name: A", "---", "```", "oops", "---", "name: B", "---", "b")
    assert.deepStrictEqual(agents.map(({ name }) => name), ["A", "B"])
  })

  it("reads CRLF and a byte order mark", () => {
    const { agents, problems } = AgentFile.parse(
      "\uFEFF---\r\nname: A\r\ntools:\r\n  - *\r\n  - !x_*\r\n---\r\nOne.\r\nTwo.\r\n",
      "AGENTS.md"
    )
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(agents.map(({ prompt, tools }) => ({ prompt, tools })), [
      { prompt: "One.\nTwo.", tools: ["*", "!x_*"] }
    ])
  })

  it("reports a wrong agent by name, file and line, and keeps the others", () => {
    const { agents, problems } = parse(
      "---",
      "name: Good",
      "---",
      "Good.",
      "---",
      "name: \"Bad steps\"",
      "steps: many",
      "---",
      "Bad.",
      "---",
      "name: Bad yaml",
      "description: \"open",
      "---",
      "Bad.",
      "---",
      "name: Never closed",
      "description: x",
      "Text without the closing line.",
      "",
      "---",
      "name: Last",
      "---",
      "Last."
    )
    assert.deepStrictEqual(agents.map(({ name, prompt }) => `${name}: ${prompt}`), ["Good: Good.", "Last: Last."])
    assert.deepStrictEqual(
      problems.map(({ file, line, name }) => `${file}:${line} ${name}`),
      [
        "AGENTS.md:7 Bad steps",
        "AGENTS.md:10 Bad yaml",
        "AGENTS.md:15 Never closed"
      ]
    )
    assert.match(problems[2]?.message ?? "", /no closing line ---/)
  })

  it("reports a block that only lacks its name, and keeps its text out of other prompts", () => {
    const { agents, problems } = parse("---", "name: A", "---", "a", "---", "tools: [x]", "title: T", "---", "secret")
    assert.deepStrictEqual(agents.map(({ prompt }) => prompt), ["a"])
    assert.deepStrictEqual(problems.map(({ line, name }) => ({ line, name })).slice(0, 1), [{ line: 5, name: null }])
  })

  it("reports the last agent when its block is never closed", () => {
    const { agents, problems } = parse("---", "name: A", "---", "a", "---", "name: B", "", "text")
    assert.deepStrictEqual(agents.map(({ prompt }) => prompt), ["a"])
    assert.deepStrictEqual(problems.map(({ line, name }) => ({ line, name })), [{ line: 5, name: "B" }])
  })

  it("notices agents that a Markdown formatter made headings of", () => {
    const { agents, problems } = parse("---", "", "## name: A tools: [view_file]", "", "You are A.")
    assert.deepStrictEqual(agents, [])
    assert.strictEqual(problems[0]?.line, 3)
    assert.match(problems[0]?.message ?? "", /Markdown formatter/)
  })

  it("keeps the first of two agents with one name", () => {
    const { agents, problems } = parse("---", "name: A", "---", "one", "---", "name: A", "---", "two")
    assert.deepStrictEqual(agents.map(({ prompt }) => prompt), ["one"])
    assert.deepStrictEqual(problems.map(({ line, name }) => ({ line, name })), [{ line: 5, name: "A" }])
  })

  it("names the nearest key for an unknown one, and keeps the agent", () => {
    const { agents, problems } = parse("---", "name: A", "step: 3", "---", "a")
    assert.strictEqual(agents.length, 1)
    assert.match(problems[0]?.message ?? "", /unknown key step is ignored; did you mean steps\?/)
    assert.strictEqual(problems[0]?.line, 3)
  })

  it("refuses an agent whose tools key is misspelt, which would leave it every tool", () => {
    for (
      const key of [
        "Tools: [view_file]",
        "TOOLS: [view_file]",
        "tool: [view_file]",
        "allowed-tools: view_file",
        "\u00a0tools: [view_file]",
        "to\u00adols: [view_file]",
        "? tools\n: [view_file]",
        "config:\n  tools: [view_file]"
      ]
    ) {
      const { agents, problems } = parse("---", "name: A", ...key.split("\n"), "---", "a")
      assert.deepStrictEqual(agents, [], key)
      assert.strictEqual(problems[0]?.name, "A", key)
    }
    assert.match(problemsOf("Tools: [view_file]")[0] ?? "", /^3 Tools is no key of an agent; write tools:/)
    assert.strictEqual(toolsOf("description: |", "  tools: as text"), null)
  })

  it("reports keys that no agent was made of, outside code fences", () => {
    const keys = ["name: A", "tools: [view_file]"]
    for (
      const lines of [
        ["---", "  name: A", "  tools: [view_file]", "---", "a"],
        [" ---", ...keys, "---", "a"],
        ["----", ...keys, "----", "a"],
        ["---", "Name: A", "Tools: [view_file]", "---", "a"],
        ["+++", "tools = [\"view_file\"]", "+++"],
        ["Allowed-Tools: view_file"]
      ]
    ) {
      const { agents, problems } = parse(...lines)
      assert.deepStrictEqual(agents, [], lines.join("\n"))
      assert.isAbove(problems.length, 0, lines.join("\n"))
    }
    assert.strictEqual(parse("Hello.", " ---", "tools: [x]").problems[0]?.line, 3)
    assert.deepStrictEqual(parse("# Notes", "Use the tools well.", "```", ...keys, "```").problems, [])
    assert.deepStrictEqual(parse("---", "name: A", "---", "Your name: A", "tools: none").problems, [])
  })

  const Pattern = Schema.String.check(Schema.isPattern(/^!?[A-Za-z_*][A-Za-z0-9_*-]{0,8}$/))
  const Patterns = Arbitrary.array(Arbitrary.schema(Pattern), { minLength: 1, maxLength: 6 })

  it.prop("reads every list of patterns back from every form (R50)", { patterns: Patterns }, ({ patterns }) => {
    const forms = [
      `[${patterns.join(", ")}]`,
      `[${patterns.join(",")}]`,
      `[${patterns.map((pattern) => `"${pattern}"`).join(", ")}] # all`,
      patterns.map((pattern) => `'${pattern}'`).join(", "),
      patterns.join(", "),
      `\n${patterns.map((pattern) => `  - ${pattern}`).join("\n")}`,
      `\n${patterns.map((pattern) => `- "${pattern}" # why`).join("\n")}`
    ]
    for (const form of forms) {
      const read = Result.getOrThrow(ToolPatterns.parse(form))
      assert.deepStrictEqual(read.patterns, patterns, form)
      assert.deepStrictEqual(toolsOf(`tools: ${form}`, "steps: 2"), patterns, form)
    }
  })
})

const refusal = (path: string) =>
  PlatformError.systemError({
    _tag: path === "denied" ? "PermissionDenied" : "NotFound",
    module: "FileSystem",
    method: "stat",
    pathOrDescriptor: path
  })

const files = (contents: Record<string, string>) =>
  FileSystem.layerNoop({
    stat: (path) => contents[path] === undefined ? Effect.fail(refusal(path)) : Effect.succeed(MemoryFiles.FILE),
    readFile: (path) =>
      contents[path] === undefined
        ? Effect.fail(refusal(path))
        : Effect.succeed(new TextEncoder().encode(contents[path]))
  })

const agentsOf = (path: string, contents: Record<string, string>) =>
  Layer.build(Agents.layerFile(path).pipe(Layer.provide(Layer.merge(files(contents), Path.layer)))).pipe(
    Effect.flatMap((context) => Effect.map(Effect.provideContext(Agents, context), (agents) => asPerson(agents)))
  )

describe("Agents", () => {
  it.effect("has one agent with every tool when there is no file", () =>
    Effect.gen(function*() {
      const agents = yield* agentsOf("absent", {})
      const { agents: list, problems } = yield* agents.list
      assert.deepStrictEqual(list.map(({ name, tools }) => ({ name, tools })), [{ name: "Assistant", tools: null }])
      assert.deepStrictEqual(problems, [])
    }))

  it.effect("gives no tools when the file is there and cannot be used", () =>
    Effect.gen(function*() {
      const unreadable = yield* (yield* agentsOf("denied", {})).list
      assert.deepStrictEqual(unreadable.agents.map(({ tools }) => tools), [[]])
      assert.strictEqual(unreadable.problems.length, 1)
      const broken = yield* (yield* agentsOf("f", { f: "---\nname: A\ntools: [!x\n---\n" })).list
      assert.deepStrictEqual(broken.agents.map(({ name, tools }) => ({ name, tools })), [{
        name: "Assistant",
        tools: []
      }])
    }))

  it.effect("reads the file at each call", () =>
    Effect.gen(function*() {
      const contents: Record<string, string> = { f: "---\nname: A\n---\n" }
      const agents = yield* agentsOf("f", contents)
      assert.strictEqual((yield* agents.agent(null)).name, "A")
      contents["f"] = "---\nname: B\n---\n"
      assert.strictEqual((yield* agents.agent(null)).name, "B")
    }))

  it.effect("names the nearest agent, or what is wrong with the one asked for", () =>
    Effect.gen(function*() {
      const agents = yield* agentsOf("f", { f: "---\nname: Architect\n---\na\n---\nname: Broken\ntools:\n---\n" })
      const unknown = yield* Effect.flip(agents.agent("architekt"))
      assert.deepStrictEqual(unknown.nearest, ["Architect"])
      const broken = yield* Effect.flip(agents.agent("Broken"))
      assert.match(broken.message, /f:7: tools: has no value/)
    }))

  it.effect("gives members those agents alone that are for them, and admins all", () =>
    Effect.gen(function*() {
      const text = [
        "---\nname: Boss\nfor: admins\n---\nb",
        "---\nname: Dev\nfor: [group:dev, bob]\n---\nd",
        "---\nname: Wrong\nfor: [admin]\n---\nw",
        "---\nname: Main\n---\nm\n"
      ].join("\n")
      const layer = Agents.layerFile("f").pipe(Layer.provide(Layer.merge(files({ f: text }), Path.layer)))
      const seen = (user: User) =>
        Effect.gen(function*() {
          const agents = yield* Agents
          const { agents: all, problems } = yield* agents.list
          const { nearest } = yield* Effect.flip(agents.agent("Bos"))
          return [all.map(({ name }) => name), problems.length, (yield* agents.agent(null)).name, nearest]
        }).pipe(Effect.provide(layer), Effect.provideService(CurrentUser, user))
      const bob: User = { id: "b", name: "Bob", role: "member", groups: [] }
      assert.deepStrictEqual(yield* seen(FIRST), [["Boss", "Dev", "Main"], 1, "Boss", ["Boss"]])
      assert.deepStrictEqual(yield* seen(bob), [["Dev", "Main"], 0, "Dev", []])
      assert.deepStrictEqual(yield* seen({ ...bob, name: "Cid" }), [["Main"], 0, "Main", []])
      assert.deepStrictEqual(problemsOf("for: [admin]"), ["3 for: \"admin\" is no role; did you mean \"admins\"?"])
    }))

  it.effect("give a member for whom none is an assistant without tools", () =>
    Effect.gen(function*() {
      const layer = Agents.layerFile("f").pipe(
        Layer.provide(Layer.merge(files({ f: "---\nname: Boss\nfor: admins\n---\nb" }), Path.layer))
      )
      const { agents } = yield* Effect.provide(Agents.use(({ list }) => list), layer).pipe(
        Effect.provideService(CurrentUser, { id: "b", name: "Bob", role: "member", groups: [] })
      )
      assert.deepStrictEqual(agents.map(({ name, tools }) => [name, tools]), [["Assistant", []]])
    }))
})
