import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AgentEdit from "../../src/agents/AgentEdit.ts"
import * as AgentFile from "../../src/agents/AgentFile.ts"

type Draft = AgentEdit.AgentDraft

const draft = (name: string, changes: Partial<Draft> = {}): Draft => ({
  name,
  description: null,
  prompt: "",
  tools: null,
  model: null,
  steps: null,
  temperature: null,
  ask: null,
  code: null,
  ...changes
})

const source = (text: string, fileName: string | null = null): AgentEdit.Source => ({ text, file: "f.md", fileName })

/** An agent of a text as a person would send it back. */
const draftIn = (text: string, name: string, fileName: string | null = null): Draft => {
  const agent = AgentFile.parse(text, "f.md", fileName).agents.find((one) => one.name === name)
  return draft(name, { ...agent, ask: agent?.ask ?? null, code: agent?.code ?? null })
}

const edited = (text: string, name: string, changes: Partial<Draft>, fileName: string | null = null): string =>
  Result.getOrThrow(AgentEdit.changed(source(text, fileName), name, { ...draftIn(text, name, fileName), ...changes }))

const why = (result: Result.Result<unknown, { readonly message: string }>): string =>
  Result.isFailure(result) ? result.failure.message : "nothing"

const CAREFUL = [
  "<!-- All of them. -->",
  "",
  "---",
  "# The one that reads.",
  "name: Reader   # as people know it",
  "note: kept, though nobody knows it",
  "tools:",
  "  # its folder",
  "  - files_*   # reading only",
  "  - !files_secret",
  "",
  "# Cheap.",
  "model: openai/gpt-5 # for now",
  "steps: 7",
  "---",
  "",
  "You read.",
  "",
  "<!-- The next one writes. -->",
  "---",
  "name: Writer",
  "ask: [*]",
  "---",
  "You write.",
  ""
].join("\n")

describe("An edit of an agent", () => {
  it("changes the lines of what changed, and keeps comments, unknown keys, order and blank lines", () => {
    assert.strictEqual(edited(CAREFUL, "Reader", {}), CAREFUL)
    assert.strictEqual(
      edited(CAREFUL, "Reader", { steps: 9, model: "openai/gpt-6", description: "Reads: all" }),
      CAREFUL.replace("steps: 7", "steps: 9").replace("model: openai/gpt-5 #", "model: openai/gpt-6 #")
        .replace("name: Reader   # as people know it\n", "$&description: \"Reads: all\"\n")
    )
    assert.strictEqual(
      edited(CAREFUL, "Reader", { name: "Leser", prompt: "You read.\n\nSlowly." }),
      CAREFUL.replace("name: Reader ", "name: Leser ").replace(
        "You read.\n\n<!-- The next one writes. -->",
        "You read.\n\nSlowly."
      )
    )
    assert.strictEqual(
      edited(CAREFUL, "Reader", { model: null, steps: null }),
      CAREFUL.replace("model: openai/gpt-5 # for now\n", "# for now\n").replace("steps: 7\n", "")
    )
    assert.strictEqual(
      edited(CAREFUL, "Writer", { tools: ["*", "!web_*"], ask: [], temperature: 0.5 }),
      CAREFUL.replace("ask: [*]\n", "tools: [*, !web_*]\ntemperature: 0.5\n")
    )
  })

  it("leaves who it is for as it is written where nobody says, and takes it away for everyone", () => {
    const text = "---\nname: A\nfor: [ admins ]\n---\n"
    const kept = { ...draft("A"), description: "x" }
    const now = (changes: Partial<Draft>) =>
      Result.getOrThrow(AgentEdit.changed(source(text), "A", { ...kept, ...changes }))
    assert.include(now({}), "for: [ admins ]\n")
    assert.notInclude(now({ for: null }), "for:")
    assert.include(now({ for: ["admins", "group:hr"] }), "for: [admins, \"group:hr\"]\n")
    assert.match(why(AgentEdit.changed(source(text), "A", { ...kept, for: ["role:x"] })), /^for: "role:x" is no group/)
  })

  it("keeps a list with a line for each pattern, and the comments of those that go", () => {
    const list = (...lines: ReadonlyArray<string>) =>
      CAREFUL.replace("  # its folder\n  - files_*   # reading only\n  - !files_secret\n", `${lines.join("\n")}\n`)
    const tools = (...tools: ReadonlyArray<string>) => edited(CAREFUL, "Reader", { tools })
    assert.strictEqual(
      tools("view_file", "files_*", "!files_secret"),
      list("  - view_file", "  # its folder", "  - files_*   # reading only", "  - !files_secret")
    )
    assert.strictEqual(tools("!files_secret"), list("  - !files_secret", "  # its folder", "  # reading only"))
    assert.strictEqual(
      edited(CAREFUL, "Reader", { tools: [] }),
      CAREFUL.replace(/tools:\n[^]*?- !files_secret\n/, "tools: []\n  # its folder\n  # reading only\n")
    )
  })

  it("writes the line ends that the file has, and keeps its mark of UTF-8", () => {
    const text = `\uFEFF---\r\nname: A\r\n---\r\nOne.\r\n`
    assert.strictEqual(
      edited(text, "A", { steps: 2, prompt: "One.\nTwo." }),
      "\uFEFF---\r\nname: A\r\nsteps: 2\r\n---\r\nOne.\r\nTwo.\r\n"
    )
    assert.strictEqual(
      Result.getOrThrow(AgentEdit.added(source(text), draft("B", { prompt: "Two." }))),
      `${text}\r\n---\r\nname: B\r\n---\r\n\r\nTwo.\r\n`
    )
    assert.strictEqual(edited("---\nname: A\n---", "A", { prompt: "One." }), "---\nname: A\n---\n\nOne.\n")
  })

  it("gives a file that is nothing but a prompt its keys only when it needs some", () => {
    assert.strictEqual(edited("You read.\n", "a", { prompt: "You write." }, "a"), "You write.\n")
    assert.strictEqual(
      edited("You read.\n", "a", { tools: ["files_*"] }, "a"),
      "---\ntools: [files_*]\n---\n\nYou read.\n"
    )
    assert.strictEqual(edited("You read.\n", "a", { name: "B" }, "a"), "---\nname: B\n---\n\nYou read.\n")
    assert.strictEqual(
      edited("---\ntools: []\n---\nYou read.\n", "a", { name: "B" }, "a"),
      "---\nname: B\ntools: []\n---\nYou read.\n"
    )
  })

  for (
    const [key, changes, words] of [
      ["name", { name: " " }, /needs a name/],
      ["name", { name: "a\nb" }, /on one line/],
      ["steps", { steps: 0 }, /1 to 1000/],
      ["steps", { steps: 1.5 }, /1 to 1000/],
      ["temperature", { temperature: 3 }, /0 to 2/],
      ["tools", { tools: ["files read"] }, /holds a space/],
      ["tools", { tools: ["files.*"] }, /can match no tool/],
      ["tools", { tools: ["files_*, !x"] }, /space|comma/],
      ["tools", { tools: [""] }, /empty/],
      ["ask", { ask: ["!files_*"] }, /exceptions only/],
      ["prompt", { prompt: "Hi\n---\nname: Other\n---\nHo" }, /begin another agent/],
      ["prompt", { prompt: "Hi\n\n## name: Other" }, /formatter/],
      ["description", { description: "a\uffffb" }, /cannot be written/]
    ] as const
  ) {
    it(`names the key ${key} when it is ${JSON.stringify(Object.values(changes)[0])}`, () => {
      const result = AgentEdit.checked(draft("A", changes))
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.strictEqual(result.failure.key, key)
      assert.match(why(result), words)
    })
  }

  it("refuses what would change another agent of the file", () => {
    const text = "---\nname: A\n---\nOne.\n---\nname: B\n---\n```\nTwo.\n```\n---\nname: C\n---\nThree.\n```\n"
    assert.match(
      why(AgentEdit.changed(source(text), "A", draft("A", { prompt: "```" }))),
      /would not be read back|another agent in it would change/
    )
  })

  it("takes out an agent with its prompt and nothing else, and a file with its last one", () => {
    assert.strictEqual(
      Result.getOrThrow(AgentEdit.removed(source(CAREFUL), "Writer")),
      CAREFUL.slice(0, CAREFUL.indexOf("---\nname: Writer"))
    )
    assert.strictEqual(
      Result.getOrThrow(AgentEdit.removed(source(CAREFUL), "Reader")),
      `<!-- All of them. -->\n\n${CAREFUL.slice(CAREFUL.indexOf("---\nname: Writer"))}`
    )
    assert.strictEqual(Result.getOrThrow(AgentEdit.removed(source("---\nname: A\n---\n"), "A")), "")
    for (const text of ["You read.", "<!-- Mine. -->\n---\nname: a\n---\nx"]) {
      assert.isNull(Result.getOrThrow(AgentEdit.removed(source(text, "a"), "a")))
    }
    assert.match(why(AgentEdit.removed(source(CAREFUL), "Nobody")), /has no agent Nobody any more/)
  })

  const Text = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[ab:#'"& -]{0,8}$/)))
  const Pattern = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^!?[a-c_*]{1,6}$/)))
  const AnyDraft = Arbitrary.all({
    name: Arbitrary.schema(Schema.Literals(["New", "Né: w", "#1", "'q'", "true", "Agent 2", "- x", "a & b"])),
    description: Text,
    prompt: Arbitrary.schema(
      Schema.Literals(["", "One.", " Two.\r\nLines. ", "```\n---\nname: x\n---\n```", "# A\n\n- b"])
    ),
    tools: Arbitrary.schema(Schema.NullOr(Schema.Array(Schema.String.check(Schema.isPattern(/^!?[a-c_*]{1,6}$/))))),
    model: Arbitrary.schema(Schema.Literals(["openai/gpt-5", "local/qwen3:8b", ""])),
    steps: Arbitrary.schema(Schema.NullOr(Schema.Literals([1, 25, 1000]))),
    temperature: Arbitrary.schema(Schema.NullOr(Schema.Literals([0, 0.25, 2]))),
    ask: Arbitrary.array(Pattern, { maxLength: 3 }),
    code: Arbitrary.schema(Schema.NullOr(Schema.Boolean)),
    for: Arbitrary.schema(
      Schema.NullOr(
        Schema.NonEmptyArray(Schema.Literals(["admins", "group:hr", "ann@example.org", "true", "O'Neil & co"]))
      )
    )
  })

  /** Agents as people write them; each comment of the keys is another one. */
  const BLOCKS = [
    "---\nname: A\n---\nFirst. # no comment\n\n",
    "---\n# c1\nname: B # c2\ntools: [a_*, !b] # c3\nodd: 1 # c4\n# c5\n---\n\nSecond.\n",
    "---\nname: C\ntools:\n  # d1\n  - a # d2\n\n  - !b\n# d3\nask: a_* # d4\ndescription: \"x # y\" # d5\nfor:\n  - admins # d7\n  - group:x\n# d6\n---\n",
    "---\ntemperature: 1 # e1\ncode: true # e4\ndescription: |\n  # text\n  more\nname: 'D' # e2\nsteps: 5\n# e3\n---\n```\ncode\n```\n"
  ]
  const NAMES = ["A", "B", "C", "D"]

  it.prop(
    "leaves every other agent and all comments as they are, and is read back as it was wanted",
    {
      order: Arbitrary.array(Arbitrary.schema(Schema.Literals([0, 1, 2, 3])), { minLength: 1, maxLength: 4 }),
      target: Arbitrary.schema(Schema.Literals([0, 1, 2, 3])),
      end: Arbitrary.schema(Schema.Literals(["\n", "\r\n"])),
      wanted: AnyDraft
    },
    ({ end, order, target, wanted }) => {
      const blocks = [...new Set(order)].map((
        index
      ) => [NAMES[index] ?? "", (BLOCKS[index] ?? "").replaceAll("\n", end)])
      const [name = "", own = ""] = blocks[target % blocks.length] ?? []
      const text = `# Words before\n${end}${blocks.map(([, block]) => block).join("")}`
      const result = AgentEdit.changed(source(text), name, wanted)
      if (Result.isFailure(result)) {
        // Only what no file can say.
        assert.match(result.failure.message, /^(tools|ask): /)
        return
      }
      const [before = "", after = ""] = text.split(own)
      const now = result.success
      assert.isTrue(now.startsWith(before) && now.endsWith(after), now)
      const comments = (all: string) => [...all.matchAll(/# [cde]\d/g)].map(([comment]) => comment).toSorted()
      assert.deepStrictEqual(comments(now), comments(text), now)
      const { agents, problems } = AgentFile.parse(now, "f.md")
      const agent = agents.find((one) => one.name === wanted.name)
      assert.deepStrictEqual(
        agent &&
          { ...agent, ask: agent.ask ?? [], code: agent.code ?? null, for: agent.for ?? null, file: null, line: null },
        {
          ...wanted,
          description: wanted.description.trim() || null,
          prompt: wanted.prompt.replaceAll("\r\n", "\n").trim(),
          model: wanted.model || null,
          steps: wanted.steps ?? 25,
          file: null,
          line: null
        },
        now
      )
      assert.deepStrictEqual(problems.map(({ message }) => message).filter((words) => !words.includes("odd")), [])
    }
  )
})
