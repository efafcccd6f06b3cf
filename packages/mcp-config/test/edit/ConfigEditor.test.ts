import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import process from "node:process"
import { ConfigEditor } from "../../src/index.ts"
import * as JsonNode from "../../src/text/JsonNode.ts"

const NEW = { command: "npx", args: ["-y", "server"], env: { A: "b" } }

const text = (result: Result.Result<string, ConfigEditor.Refusal>): string =>
  Result.isSuccess(result) ? result.success : assert.fail(JSON.stringify(result.failure))

const refusal = (result: Result.Result<string, ConfigEditor.Refusal>): ConfigEditor.Refusal =>
  Result.isFailure(result) ? result.failure : assert.fail(result.success)

/** The value as readers have it; fails the test for what is not JSON with comments. */
const value = (written: string) => {
  const read = Result.map(JsonNode.parse(written), JsonNode.toValue)
  return Result.isSuccess(read) ? JSON.parse(JSON.stringify(read.success)) : assert.fail(written)
}

const lines = (...all: ReadonlyArray<string>): string => all.join("\n")

describe("ConfigEditor.addServer", () => {
  it("makes a whole file of an empty text, keeping a byte order mark and the kind of line", () => {
    const whole = lines(
      "{",
      "  \"mcpServers\": {",
      "    \"n\": {",
      "      \"command\": \"npx\",",
      "      \"args\": [\"-y\", \"server\"],",
      "      \"env\": { \"A\": \"b\" }",
      "    }",
      "  }",
      "}"
    )
    for (const empty of ["", "\n", " \n\n"]) {
      assert.strictEqual(text(ConfigEditor.addServer(empty, "n", NEW)), `${whole}\n`)
    }
    assert.strictEqual(text(ConfigEditor.addServer("{}", "n", NEW)), whole)
    assert.strictEqual(text(ConfigEditor.addServer("{ \"mcpServers\": {} }\n", "n", NEW)), `${whole}\n`)
    const windows = text(ConfigEditor.addServer("\uFEFF{}\r\n", "n", NEW))
    assert.strictEqual(windows, `\uFEFF${whole.replaceAll("\n", "\r\n")}\r\n`)
  })

  it("writes after the others, in their indentation, and leaves comments where they are", () => {
    const before = lines(
      "{",
      "\t// ours",
      "\t\"other\": 1,",
      "\t\"mcpServers\": {",
      "\t\t// the first",
      "\t\t\"a\": {",
      "\t\t\t\"command\": \"x\" // with a remark",
      "\t\t} // after it",
      "\t\t// \"old\": {}",
      "\t}",
      "}",
      ""
    )
    assert.strictEqual(
      text(ConfigEditor.addServer(before, "n", NEW)),
      lines(
        "{",
        "\t// ours",
        "\t\"other\": 1,",
        "\t\"mcpServers\": {",
        "\t\t// the first",
        "\t\t\"a\": {",
        "\t\t\t\"command\": \"x\" // with a remark",
        "\t\t}, // after it",
        "\t\t// \"old\": {}",
        "\t\t\"n\": {",
        "\t\t\t\"command\": \"npx\",",
        "\t\t\t\"args\": [\"-y\", \"server\"],",
        "\t\t\t\"env\": { \"A\": \"b\" }",
        "\t\t}",
        "\t}",
        "}",
        ""
      )
    )
  })

  it("stays on one line where the others do, tight where they are, and keeps a trailing comma trailing", () => {
    const entry = { command: "y" }
    const cases = [
      [
        "{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}",
        "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"n\":{\"command\":\"y\"}}}"
      ],
      ["{ \"mcpServers\": { \"a\": {} } }", "{ \"mcpServers\": { \"a\": {}, \"n\": { \"command\": \"y\" } } }"],
      [
        "{ \"mcpServers\": {\n  \"a\": { \"url\": \"u\" },\n} }",
        "{ \"mcpServers\": {\n  \"a\": { \"url\": \"u\" },\n  \"n\": { \"command\": \"y\" },\n} }"
      ],
      ["{\n  \"mcpServers\": {}\n}", "{\n  \"mcpServers\": {\n    \"n\": {\n      \"command\": \"y\"\n    }\n  }\n}"],
      [
        "{ \"x\": 1 // one\n}",
        "{ \"x\": 1, // one\n  \"mcpServers\": {\n    \"n\": {\n      \"command\": \"y\"\n    }\n  }\n}"
      ]
    ] as const
    for (const [before, after] of cases) assert.strictEqual(text(ConfigEditor.addServer(before, "n", entry)), after)
  })

  it("adds at the top of a bare .mcprc, and under mcpServers where there is one", () => {
    const bare = { bare: true }
    const added = (before: string) => value(text(ConfigEditor.addServer(before, "n", { command: "y" }, bare)))
    assert.deepStrictEqual(added("{ \"a\": { \"command\": \"x\" } }"), { a: { command: "x" }, n: { command: "y" } })
    assert.deepStrictEqual(added("{ \"mcpServers\": {} }"), { mcpServers: { n: { command: "y" } } })
    assert.deepStrictEqual(added("{ \"$schema\": \"s\" }"), { $schema: "s", mcpServers: { n: { command: "y" } } })
    assert.include(refusal(ConfigEditor.addServer("{ \"a\": {} }", "mcpServers", {}, bare)), { _tag: "Unreadable" })
  })

  it("refuses a name that is there, and says where", () => {
    const before = "{\n  \"mcpServers\": {\n    \"n\": {}\n  }\n}"
    assert.deepStrictEqual(refusal(ConfigEditor.addServer(before, "n", NEW)), {
      _tag: "NameTaken",
      name: "n",
      at: { line: 3, column: 5 }
    })
  })

  it("refuses a file of another application, where a native entry would be lost", () => {
    const cases = [
      ["{ \"servers\": { \"a\": { \"command\": \"x\" } } }", "vscode"],
      ["{ \"mcp\": { \"a\": { \"type\": \"local\", \"command\": [\"x\"] } } }", "opencode"],
      ["{ \"mcpServers\": { \"a\": { \"httpUrl\": \"https://x.example\" } } }", "gemini"]
    ] as const
    for (const [before, shape] of cases) {
      assert.deepStrictEqual(refusal(ConfigEditor.addServer(before, "n", NEW)), { _tag: "Foreign", shape })
      assert.deepStrictEqual(refusal(ConfigEditor.removeServer(before, "a")), { _tag: "Foreign", shape })
    }
  })

  it("refuses a text that is not JSON, or not of servers, with the place (R66)", () => {
    const cases = [
      ["{\n  oops\n}", 2, 3, "this is not JSON"],
      ["[]", 1, 1, "expected an object"],
      ["{\n\"mcpServers\": []}", 2, 15, "\"mcpServers\" must be an object"],
      ["// nothing", 1, 11, "expected a value"]
    ] as const
    const edits = [
      (before: string) => ConfigEditor.addServer(before, "n", NEW),
      (before: string) => ConfigEditor.setServer(before, "n", NEW),
      (before: string) => ConfigEditor.removeServer(before, "n"),
      (before: string) => ConfigEditor.setEnabled(before, "n", true)
    ]
    for (const [before, line, column, detail] of cases) {
      for (const edit of edits) {
        const found = refusal(edit(before))
        assert.isTrue(found._tag === "Unreadable")
        if (found._tag === "Unreadable") {
          assert.deepStrictEqual([found.fault.line, found.fault.column], [line, column], before)
          assert.include(found.fault.detail, detail)
        }
      }
    }
  })
})

describe("ConfigEditor.putServers", () => {
  it("adds and changes several servers at once, as one after the other", () => {
    const before = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }, // a\n    \"b\": null\n  }\n}"
    const servers = [
      { name: "n", entry: NEW, isNew: true },
      { name: "a", entry: { command: "y", lazy: true }, isNew: false },
      { name: "b", entry: { command: "z" }, isNew: false },
      { name: "m", entry: {}, isNew: false }
    ]
    const oneByOne = servers.reduce(
      (changed, { entry, isNew, name }) =>
        text((isNew ? ConfigEditor.addServer : ConfigEditor.setServer)(changed, name, entry)),
      before
    )
    assert.strictEqual(text(ConfigEditor.putServers(before, servers)), oneByOne)
    assert.strictEqual(text(ConfigEditor.putServers(before, [])), before)
  })

  it("refuses all of them for one that is there, or is named twice", () => {
    const before = "{ \"mcpServers\": { \"a\": {} } }"
    for (const names of [["n", "a"], ["n", "n"]] as const) {
      const servers = names.map((name) => ({ name, entry: NEW, isNew: true }))
      assert.include(refusal(ConfigEditor.putServers(before, servers)), { _tag: "NameTaken", name: names[1] })
    }
  })

  it("takes work that grows with the number of servers, not with its square", () => {
    const work = (count: number): number => {
      const named = (isNew: boolean) =>
        Array.from({ length: count }, (_, at) => ({ name: `s${at}`, entry: NEW, isNew }))
      const added = text(ConfigEditor.putServers("{\n  \"mcpServers\": { \"z\": {} }\n}", named(true)))
      const before = process.cpuUsage()
      const more = named(false).map((one) => ({ ...one, entry: { ...NEW, env: { A: "c" } } }))
      text(ConfigEditor.putServers(added, more))
      text(ConfigEditor.putServers("{\n  \"mcpServers\": { \"z\": {} }\n}", named(true)))
      const { system, user } = process.cpuUsage(before)
      return system + user
    }
    work(400)
    // Sixteen times as many: linear work is 16 times as much, quadratic work 256 times.
    assert.isBelow(work(1600) / work(100), 64)
  })
})

describe("ConfigEditor.setServer", () => {
  it("leaves the text of every key whose value stays, and comments with it", () => {
    const before = lines(
      "{",
      "  \"mcpServers\": {",
      "    \"a\": {",
      "      // how it starts",
      "      \"command\": \"x\",",
      "      \"args\": [",
      "        \"one\" // first",
      "      ],",
      "      \"timeout\": 5,",
      "      \"env\": { \"A\": \"b\" }",
      "    },",
      "    \"z\": {}",
      "  }",
      "}"
    )
    const after = text(
      ConfigEditor.setServer(before, "a", { command: "x", args: ["one"], env: { A: "c" }, lazy: true })
    )
    const changed = ["      \"timeout\": 5,", "      \"env\": { \"A\": \"b\" }"]
    assert.include(before, lines(...changed))
    assert.strictEqual(
      after,
      before.replace(lines(...changed), lines("      \"env\": { \"A\": \"c\" },", "      \"lazy\": true"))
    )
    assert.strictEqual(text(ConfigEditor.setServer(before, "a", value(before).mcpServers.a)), before)
  })

  it("sets the entry that counts when a name is written twice, and replaces what is no object", () => {
    const twice = "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"a\":{\"command\":\"y\"}}}"
    assert.strictEqual(text(ConfigEditor.setServer(twice, "a", { command: "z" })), twice.replace("\"y\"", "\"z\""))
    assert.deepStrictEqual(
      value(text(ConfigEditor.setServer("{\"mcpServers\":{\"a\":null}}", "a", { command: "z" }))),
      { mcpServers: { a: { command: "z" } } }
    )
  })
})

describe("ConfigEditor.removeServer", () => {
  it("takes the entry's lines and the comments on them, and no other comment", () => {
    const before = lines(
      "{",
      "  \"mcpServers\": {",
      "    \"a\": { \"command\": \"x\" }, // about a",
      "    // above b",
      "    \"b\": {",
      "      \"command\": \"y\" // inside b",
      "    }, // about b",
      "    \"c\": { \"command\": \"z\" } // about c",
      "  }",
      "}",
      ""
    )
    const without = (name: string) => text(ConfigEditor.removeServer(before, name))
    const kept = (...gone: ReadonlyArray<number>) =>
      before.split("\n").filter((_, index) => !gone.includes(index + 1)).join("\n")
    assert.strictEqual(without("a"), kept(3))
    assert.strictEqual(without("b"), kept(5, 6, 7))
    assert.strictEqual(without("c"), kept(8).replace("}, // about b", "} // about b"))
  })

  it("closes an object that is empty then, and keeps one with a comment open", () => {
    assert.strictEqual(
      text(ConfigEditor.removeServer("{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}", "a")),
      "{\n  \"mcpServers\": {}\n}"
    )
    assert.strictEqual(
      text(ConfigEditor.removeServer("{\n  \"mcpServers\": {\n    // none\n    \"a\": {}\n  }\n}", "a")),
      "{\n  \"mcpServers\": {\n    // none\n  }\n}"
    )
  })

  it("removes from a line that others are on, wherever the comma stands", () => {
    const cases = [
      ["{ \"mcpServers\": { \"a\": {}, \"b\": {} } }", "a", "{ \"mcpServers\": { \"b\": {} } }"],
      ["{ \"mcpServers\": { \"a\": {}, \"b\": {} } }", "b", "{ \"mcpServers\": { \"a\": {} } }"],
      ["{\"mcpServers\":{\"a\":{},\"b\":{},}}", "b", "{\"mcpServers\":{\"a\":{},}}"],
      ["{\"mcpServers\":{\"a\":{}\n  , \"b\":{}\n}}", "b", "{\"mcpServers\":{\"a\":{}\n  \n}}"],
      ["{\"mcpServers\":{\"a\":{} /* one */, \"b\":{}}}", "a", "{\"mcpServers\":{/* one */ \"b\":{}}}"],
      ["{\"mcpServers\":{\"a\":1,\"b\":{},\"a\":2}}", "a", "{\"mcpServers\":{\"b\":{}}}"]
    ] as const
    for (const [before, name, after] of cases) {
      const done = text(ConfigEditor.removeServer(before, name))
      value(done)
      assert.strictEqual(done, after)
    }
  })

  it("refuses a name that is not there, and knows those that are", () => {
    assert.deepStrictEqual(refusal(ConfigEditor.removeServer("{\"mcpServers\":{\"a\":{},\"b\":{}}}", "c")), {
      _tag: "NameUnknown",
      name: "c",
      names: ["a", "b"]
    })
    assert.include(refusal(ConfigEditor.removeServer("", "c")), { _tag: "NameUnknown" })
  })
})

describe("ConfigEditor.setEnabled", () => {
  const switched = (entry: string, isEnabled: boolean) =>
    value(text(ConfigEditor.setEnabled(`{"mcpServers":{"a":${entry}}}`, "a", isEnabled))).mcpServers.a

  it("sets the key that is there, and leaves no disagreement", () => {
    const cases = [
      ["{}", false, "{\"enabled\": false}"],
      ["{}", true, "{}"],
      ["{\"enabled\":false}", true, "{\"enabled\":true}"],
      ["{\"enabled\":true}", false, "{\"enabled\":false}"],
      ["{\"disabled\":true}", true, "{\"disabled\":false}"],
      ["{\"disabled\":false}", false, "{\"disabled\":true}"],
      ["{\"disabled\":false}", true, "{\"disabled\":false}"],
      ["{\"enabled\":true,\"disabled\":true}", true, "{\"enabled\":true}"],
      ["{\"enabled\":true,\"disabled\":true}", false, "{\"enabled\":false}"],
      ["{\"disabled\":true,\"enabled\":true}", true, "{\"enabled\":true}"],
      ["{\"enabled\":\"no\"}", true, "{\"enabled\":true}"]
    ] as const
    for (const [before, isEnabled, after] of cases) {
      assert.deepStrictEqual(switched(before, isEnabled), value(after), before)
    }
  })

  it("refuses an entry that is no object, with its place", () => {
    const found = refusal(ConfigEditor.setEnabled("{\"mcpServers\":{\"a\":1}}", "a", true))
    assert.deepInclude(found, { _tag: "Unreadable", fault: { line: 1, column: 20, detail: "a is not an object" } })
  })
})

describe("ConfigEditor.setWrites", () => {
  const offered = (entry: string, writes: "off" | "ask") =>
    value(text(ConfigEditor.setWrites(`{"mcpServers":{"a":${entry}}}`, "a", writes))).mcpServers.a

  it("sets the key, and takes it out again, and leaves everything else as it was written", () => {
    const cases = [
      ["{}", "ask", "{\"writes\":\"ask\"}"],
      ["{}", "off", "{}"],
      ["{\"writes\":\"ask\"}", "ask", "{\"writes\":\"ask\"}"],
      ["{ \"command\": \"x\", \"writes\": \"ask\" }", "off", "{ \"command\": \"x\" }"],
      ["{\"writes\":\"off\"}", "off", "{\"writes\":\"off\"}"],
      ["{\"writes\":\"off\"}", "ask", "{\"writes\":\"ask\"}"],
      ["{\"writes\":true}", "off", "{}"],
      ["{\"writes\":\"off\",\"writes\":\"ask\"}", "off", "{}"]
    ] as const
    for (const [before, writes, after] of cases) {
      assert.deepStrictEqual(offered(before, writes), value(after), before)
    }
    const whole = "\uFEFF{\r\n  // mine\r\n  \"mcpServers\": { \"a\": { \"command\": \"x\" /* y */ } }\r\n}"
    const ask = text(ConfigEditor.setWrites(whole, "a", "ask"))
    assert.include(ask, "\"writes\": \"ask\"")
    assert.strictEqual(text(ConfigEditor.setWrites(ask, "a", "off")), whole)
  })

  it("refuses a name that is not there, and an entry that is no object", () => {
    assert.strictEqual(refusal(ConfigEditor.setWrites("{\"mcpServers\":{}}", "a", "ask"))._tag, "NameUnknown")
    assert.strictEqual(refusal(ConfigEditor.setWrites("{\"mcpServers\":{\"a\":1}}", "a", "ask"))._tag, "Unreadable")
  })
})

const Member = Schema.Struct({
  isOnOneLine: Schema.Boolean,
  above: Schema.Boolean,
  inside: Schema.Boolean,
  beside: Schema.Boolean,
  hasMore: Schema.Boolean
})
const Layout = Schema.Struct({
  unit: Schema.Literals(["  ", "    ", "\t"]),
  eol: Schema.Literals(["\n", "\r\n"]),
  mark: Schema.Literals(["", "\uFEFF"]),
  end: Schema.Literals(["", "\n"]),
  isBare: Schema.Boolean,
  isTrailing: Schema.Boolean
})
type Layout = typeof Layout.Type

/** A file as people write them, with a comment at every place where one may stand. */
const file = (members: ReadonlyArray<typeof Member.Type>, layout: Layout): string => {
  const step = layout.isBare ? layout.unit : layout.unit + layout.unit
  const rows = members.flatMap((member, index) => {
    const comma = index < members.length - 1 || layout.isTrailing ? "," : ""
    const beside = member.beside ? ` // beside s${index}` : ""
    const more = member.hasMore ? ", \"x-unknown\": [1.0, 1e3]" : ""
    const inside = member.inside ? ` /* inside s${index} */` : ""
    const above = member.above ? [`${step}// above s${index}`] : []
    if (member.isOnOneLine) return [...above, `${step}"s${index}": { "command": "c"${inside}${more} }${comma}${beside}`]
    return [
      ...above,
      `${step}"s${index}": {`,
      `${step}${layout.unit}"command": "c"${more}${inside}`,
      `${step}}${comma}${beside}`
    ]
  })
  const whole = layout.isBare
    ? ["// head", "{", ...rows, "}"]
    : [
      "// head",
      "{",
      `${layout.unit}"other": { "k": null }, /* k */`,
      `${layout.unit}"mcpServers": {`,
      ...rows,
      `${layout.unit}}`,
      "}"
    ]
  return layout.mark + whole.join(layout.eol) + (layout.end === "" ? "" : layout.eol)
}

const comments = (written: string) => written.match(/\/\/[^\r\n]*|\/\*.*?\*\//g) ?? []
const serversOf = (written: string, layout: Layout) => layout.isBare ? value(written) : value(written).mcpServers
const Members = Schema.Array(Member).check(Schema.isMinLength(1), Schema.isMaxLength(4))

describe("ConfigEditor, on files as people write them", () => {
  it.prop(
    "adds and keeps every character there was; removing gives the very file back",
    [Members, Layout],
    ([members, layout]) => {
      const before = file(members, layout)
      const options = { bare: layout.isBare }
      const added = text(ConfigEditor.addServer(before, "new", NEW, options))
      assert.deepStrictEqual(serversOf(added, layout), { ...serversOf(before, layout), new: NEW })
      assert.deepStrictEqual(Object.keys(serversOf(added, layout)).at(-1), "new")
      assert.deepStrictEqual(comments(added), comments(before))
      assert.strictEqual(added.replaceAll("\r\n", "").includes("\r"), false)
      assert.strictEqual(/[^\r]\n/.test(added), layout.eol === "\n")
      assert.strictEqual(text(ConfigEditor.removeServer(added, "new", options)), before)
    },
    { arbitrary: { runs: 100 } }
  )

  it.prop(
    "removes one server and what stands on its lines, and nothing else",
    [Members, Layout],
    ([members, layout]) => {
      const before = file(members, layout)
      members.forEach((_, index) => {
        const name = `s${index}`
        const after = text(ConfigEditor.removeServer(before, name, { bare: layout.isBare }))
        const { [name]: _gone, ...rest } = serversOf(before, layout)
        const isLastBare = layout.isBare && members.length === 1
        if (!isLastBare) assert.deepStrictEqual(serversOf(after, layout), rest)
        const stays = comments(before).filter((comment) => !new RegExp(`(inside|beside) ${name}\\b`).test(comment))
        assert.deepStrictEqual(comments(after), stays)
      })
    },
    { arbitrary: { runs: 100 } }
  )

  it.prop("switches one server on and off, and touches no comment", [Members, Layout], ([members, layout]) => {
    const before = file(members, layout)
    const options = { bare: layout.isBare }
    const off = text(ConfigEditor.setEnabled(before, "s0", false, options))
    assert.deepStrictEqual(comments(off), comments(before))
    assert.strictEqual(serversOf(off, layout).s0.enabled, false)
    assert.strictEqual(text(ConfigEditor.setEnabled(off, "s0", false, options)), off)
    const on = text(ConfigEditor.setEnabled(off, "s0", true, options))
    assert.strictEqual(on, off.replace("\"enabled\": false", "\"enabled\": true"))
  }, { arbitrary: { runs: 100 } })

  it.prop(
    "sets what was there to anything, and the rest stays",
    [Members, Layout, Schema.Record(Schema.String, Schema.Json)],
    ([members, layout, entry]) => {
      const before = file(members, layout)
      const after = text(ConfigEditor.setServer(before, "s0", entry, { bare: layout.isBare }))
      assert.deepStrictEqual(serversOf(after, layout), {
        ...serversOf(before, layout),
        s0: JSON.parse(JSON.stringify(entry))
      })
    },
    { arbitrary: { runs: 100 } }
  )

  it.prop("gives JSON that says what was asked, or a refusal with a place, whatever is done to a file", [
    Members,
    Layout,
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 })),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
    Schema.String.check(Schema.isPattern(/^[{}[\]",:\\a0 \n\r/*-]{0,3}$/))
  ], ([members, layout, at, cut, put]) => {
    const whole = file(members, layout)
    const before = whole.slice(0, at) + put + whole.slice(at + cut)
    const options = { bare: layout.isBare }
    const added = ConfigEditor.addServer(before, "new", NEW, options)
    if (Result.isFailure(added)) {
      const found = added.failure
      if (found._tag === "Unreadable") assert.isAtLeast(Math.min(found.fault.line, found.fault.column), 1)
      return
    }
    value(added.success)
    const names = Result.getOrElse(ConfigEditor.names(added.success, options), () => [])
    assert.include(names, "new")
    for (const name of names) {
      const removed = text(ConfigEditor.removeServer(added.success, name, options))
      value(removed)
      assert.notInclude(Result.getOrElse(ConfigEditor.names(removed, options), () => [name]), name)
    }
  }, { arbitrary: { runs: 150 } })
})
