import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Json, Setting, Tool, TrustDetails } from "../../../src/api/Types.ts"
import * as EntryForm from "../../../src/servers/add/EntryForm.ts"
import { bodyOf, choicesOf } from "../../../src/servers/trust/TrustChoices.ts"
import { current, editing, examplesOf, grouped } from "../../../src/settings/SettingEditing.ts"
import { ArgumentsDraft } from "../../../src/tools/ArgumentsDraft.ts"
import { commandLine } from "../../../src/tools/CommandLine.ts"
import { inOrder } from "../../../src/tools/ToolOrder.ts"

describe("A new server", () => {
  const entry = { command: "npx", args: ["-y", "x"] }
  const named = (name: string) => ({ servers: [{ name, entry }], wrong: null })
  const paste = (document: unknown, name = "") => EntryForm.parse(JSON.stringify(document), name)

  it("is taken from every form in which documentation has it", () => {
    assert.deepStrictEqual(paste({ mcpServers: { a: entry } }), named("a"))
    assert.deepStrictEqual(paste({ servers: { a: entry } }), named("a"))
    assert.deepStrictEqual(paste({ a: entry }), named("a"))
    assert.deepStrictEqual(EntryForm.parse(`"a": ${JSON.stringify(entry)},`, ""), named("a"))
    assert.deepStrictEqual(paste(entry, "b"), named("b"))
    assert.deepStrictEqual(paste({ mcpServers: { a: entry } }, "b"), named("b"))
    assert.deepStrictEqual(
      paste({ mcpServers: { a: entry, c: { url: "https://x" } } }, "b").servers?.map(({ name }) => name),
      ["a", "c"]
    )
  })

  it("is refused in words when there is none to take", () => {
    assert.match(paste(entry).wrong ?? "", /give it a name/)
    assert.match(paste({ mcpServers: {} }).wrong ?? "", /no server/)
    assert.match(paste({ mcpServers: { a: { enabled: true } } }).wrong ?? "", /“a” has neither/)
    assert.match(paste([1]).wrong ?? "", /no object/)
    assert.match(EntryForm.parse("{ a: 1", "").wrong ?? "", /not JSON/)
  })

  it("has in its entry what was filled in, and nothing else", () => {
    assert.deepStrictEqual(EntryForm.ofCommand({ command: " npx ", args: "", env: [] }), { command: "npx" })
    assert.deepStrictEqual(
      EntryForm.ofCommand({ command: "npx", args: "-y\n\nwith space\r\n", env: [["A ", " b"], ["", "lost"]] }),
      { command: "npx", args: ["-y", "with space"], env: { A: " b" } }
    )
    assert.deepStrictEqual(
      EntryForm.ofUrl({ url: "https://x/mcp", type: "sse", headers: [["Authorization", "Bearer ${T}"]] }),
      { type: "sse", url: "https://x/mcp", headers: { Authorization: "Bearer ${T}" } }
    )
    assert.strictEqual(EntryForm.suggestedName({ url: "https://mcp.example.com/mcp" }), "example")
    assert.strictEqual(EntryForm.suggestedName({ command: "/usr/bin/mcp-server-git" }), "git")
  })
})

describe("A decision about a project's server", () => {
  const details = (more: Partial<TrustDetails>): TrustDetails => ({
    server: "theirs",
    file: "/x/.mcp.json",
    decision: "pending",
    hash: null,
    by: null,
    entry: [],
    changes: null,
    problem: null,
    tools: null,
    seen: "hash",
    ...more
  })
  const words = (more: Partial<TrustDetails>) => choicesOf(details(more)).map((choice) => choice.words)

  it("can be made where there is one to make, with what was looked at", () => {
    assert.deepStrictEqual(words({}), ["Approve once", "Approve always", "Reject"])
    assert.deepStrictEqual(words({ decision: "rejected" }), ["Approve once", "Approve always", "Revoke"])
    assert.deepStrictEqual(words({ decision: "approved", by: "once" }), ["Approve always", "Revoke", "Reject"])
    assert.deepStrictEqual(words({ decision: "approved", by: "always" }), ["Revoke", "Reject"])
    assert.deepStrictEqual(words({ decision: "approved", by: "publisher" }), ["Reject"])
    assert.deepStrictEqual(words({ decision: "not-needed", seen: ".tools" }), ["Accept these tools"])
    assert.deepStrictEqual(words({ decision: "not-needed" }), [])
    const bodies = choicesOf(details({ decision: "rejected" })).map((choice) => bodyOf(choice, "hash"))
    assert.deepStrictEqual(bodies, [{ once: true, seen: "hash" }, { once: false, seen: "hash" }, undefined])
    const [accept] = choicesOf(details({ decision: "approved", by: "always", seen: "hash.tools" }))
    assert.deepStrictEqual(accept === undefined ? null : bodyOf(accept, "hash.tools"), { seen: "hash.tools" })
  })
})

describe("Arguments", () => {
  const schema = { properties: { a: { type: "integer" }, b: { type: "string" } }, required: ["a"] }

  it("are the same in the form and as JSON, whatever was typed", () => {
    const args = new ArgumentsDraft(schema)
    assert.isUndefined(args.checked())
    assert.deepStrictEqual(args.problems.value.map(({ path }) => path), ["a"])
    args.toText()
    assert.strictEqual(args.text.value, "{}")
    args.type("{\"a\": \"x\", \"other\": [1]}")
    args.toForm()
    assert.strictEqual(args.mode.value, "form")
    args.toText()
    assert.deepStrictEqual(JSON.parse(args.text.value), { a: "x", other: [1] })
    args.type("[1]")
    args.toForm()
    assert.strictEqual(args.mode.value, "json")
    assert.match(args.textProblem.value ?? "", /one JSON object/)
    assert.strictEqual(args.text.value, "[1]")
    args.type("")
    assert.deepStrictEqual(args.checked(), {})
  })

  it("stand in the line for a shell, quotes and all", () => {
    assert.strictEqual(commandLine("files_x", { q: "it's" }), `boocode mcp call files_x --args '{"q":"it'\\''s"}'`)
    assert.strictEqual(commandLine("odd name", undefined), "boocode mcp call 'odd name'")
  })

  it.prop("stand in the line for a shell as one word that says the same", [Schema.Json], ([value]) => {
    const plain: Json = JSON.parse(JSON.stringify(value))
    const line = commandLine("files_x", plain)
    const word = line.slice("boocode mcp call files_x --args ".length)
    // As a POSIX shell reads it: in quotes everything is itself, and \' beside them a quote.
    const read = word.startsWith("'") ? word.slice(1, -1).split("'\\''").join("'") : word
    assert.deepStrictEqual(JSON.parse(read), plain)
    if (!word.startsWith("'")) assert.notMatch(word, /[\s'"$`\\!*?<>|&;(){}[\]~#]/)
  })
})

describe("Tools that were searched", () => {
  const tool = (name: string, description: string): Tool => ({
    name,
    server: "s",
    tool: name,
    title: null,
    description,
    inputSchema: {},
    annotations: {},
    needsApproval: false,
    tokens: 1
  })

  it("come by name first, then as the server ranked them, then by what they mention", () => {
    const all = [
      tool("a_mail", "sends letters"),
      tool("b_post", "sends mail"),
      tool("c_x", "mentions MAIL"),
      tool("d_y", "none")
    ]
    assert.deepStrictEqual(inOrder(all, "mail", ["b_post", "gone"]).map(({ name }) => name), [
      "a_mail",
      "b_post",
      "c_x"
    ])
    assert.deepStrictEqual(inOrder(all, "Mail letters", []).map(({ name }) => name), ["a_mail"])
  })
})

describe("A setting", () => {
  const setting = (more: Partial<Setting>): Setting => ({
    key: "logFormat",
    about: "",
    wanted: "\"pretty\" or \"json\"",
    value: "pretty",
    default: "pretty",
    written: null,
    source: "default",
    secret: false,
    editable: true,
    restart: false,
    ...more
  })

  it("is edited by what may stand there", () => {
    const options = editing(setting({ wanted: "\"trace\", \"debug\" or \"none\"" }))
    assert.deepStrictEqual(options.is === "options" ? options.options.map(({ value }) => value) : [], [
      "trace",
      "debug",
      "none"
    ])
    assert.strictEqual(editing(setting({ wanted: "true or false", default: false, value: false })).is, "options")
    assert.strictEqual(editing(setting({ wanted: "a list of \"a\" and \"b\"", default: [], value: ["a"] })).is, "lines")
    assert.deepStrictEqual(examplesOf(setting({ wanted: "{\"ask\": [\"a_*\", \"b\"]}: names" })), ["a_*", "b"])
    assert.strictEqual(editing(setting({ secret: true })).is, "secret")
    assert.strictEqual(editing(setting({ key: "new", wanted: "anything", default: { a: 1 } })).is, "form")
  })

  it("shows what the file says, and what will hold when nothing is there any more", () => {
    assert.strictEqual(current(setting({ written: "json", restart: true })), "json")
    assert.strictEqual(current(setting({ value: "json", restart: true })), "pretty")
    assert.strictEqual(current(setting({ value: "json" })), "json")
  })

  it("stands under a heading, also one that this page does not know", () => {
    const groups = grouped([setting({ key: "token" }), setting({ key: "unheardOf" })])
    assert.deepStrictEqual(groups.map(([heading, inside]) => [heading, inside.map(({ key }) => key)]), [
      ["Access", ["token"]],
      ["Operation", ["unheardOf"]]
    ])
  })
})
