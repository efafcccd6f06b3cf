import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json, status } from "../support/Scripted.ts"

const left = {
  tool: "w",
  reason: "declares itself not read-only",
  class: "writes",
  openWorld: false,
  writer: true
} as const

describe("The classes of tools in mcp list", () => {
  it.effect("counts what tools do, and which ask, within 80 columns", () =>
    Effect.gen(function*() {
      const classes = { reads: 3, undeclared: 1, writes: 4, destroys: 2 }
      const servers = [
        status("memory", {
          ...{ tools: 4, asks: 1, classes, rejected: Array.from({ length: 6 }, () => left) },
          offer: "boocode mcp writes memory ask offers it, each call with your yes"
        }),
        status("offered", { tools: 10, asks: 7, classes, writes: "ask" }),
        status("single", {
          classes: { reads: 1, undeclared: 0, writes: 1, destroys: 0 },
          rejected: [left]
        })
      ]
      const { stdout } = yield* boocode(["mcp", "list"], {
        servers,
        isTerminal: true,
        columns: 80,
        variables: { NO_COLOR: "1" }
      })
      for (const line of stdout.split("\n")) assert.isAtMost(line.length, 80, line)
      const words = stdout.replaceAll(/\s+/g, " ")
      assert.include(words, "4 tools 10 tokens 1 undeclared 1 asks first 6 that write are off, 2 destroy")
      assert.include(words, "10 tools 10 tokens 1 undeclared 1 asks first 6 that write ask first, 2 destroy")
      assert.include(words, "1 that writes is off")
      assert.include(
        words,
        "3 ready. Write mode off: tools that write are not called. Offer tools that write, each call with your yes: boocode mcp writes NAME ask"
      )
    }))

  it.effect("says for whom servers are that are not for everyone, and the JSON has it as for", () =>
    Effect.gen(function*() {
      const servers = [
        status("files"),
        status("payroll", { for: ["admins", "group:hr"] }),
        status("wrong", { for: [] })
      ]
      const { stdout } = yield* boocode(["mcp", "list"], { servers })
      assert.match(stdout, /payroll .*for admins, group:hr/)
      assert.match(stdout, /wrong .*for nobody/)
      assert.notMatch(stdout, /files .*for/)
      const listed = yield* boocode(["mcp", "list", "--json"], { servers })
      assert.deepInclude(Object(json(listed.stdout)).servers[1], { for: ["admins", "group:hr"] })
    }))

  it.effect("says the write mode of the file, and what becomes of tools that write in it (issue 18)", () =>
    Effect.gen(function*() {
      const classes = { reads: 1, undeclared: 0, writes: 2, destroys: 0 }
      const servers = [
        status("asks", { classes, writes: "ask" }),
        status("kept", { classes, writes: "off", rejected: [left, left] }),
        status("notes", { classes, rejected: [left, left], offer: "boocode mcp writes notes ask offers it" })
      ]
      const said = (permissions: string) =>
        Effect.map(boocode(["mcp", "list"], { servers, permissions }), ({ stdout }) => stdout.split("\n"))
      const facts = (lines: ReadonlyArray<string>) => lines.slice(0, 3).map((line) => /2 that.*/.exec(line)?.[0])
      const ask = yield* said(`{ "write": "ask" }`)
      assert.deepStrictEqual(facts(ask), ["2 that write ask first", "2 that write are off", "2 that write ask first"])
      assert.deepStrictEqual(ask.slice(4), [
        "  3 ready.",
        "  Write mode ask: each call of a tool that writes asks you first, unless a rule is about it.",
        ""
      ])
      const rules = yield* said(`{ "write": "rules" }`)
      assert.deepStrictEqual(facts(rules), [
        "2 that write ask first",
        "2 that write are off",
        "2 that write need a rule"
      ])
      assert.include(rules, "  Write mode rules: tools that write are called where a rule allows it.")
      const document = yield* boocode(["mcp", "list", "--json"], { servers, permissions: `{ "write": "rules" }` })
      const { servers: shown, write } = Object(json(document.stdout))
      assert.strictEqual(write, "rules")
      assert.deepStrictEqual(Array.from(shown, ({ writes }) => writes), ["ask", "off", null])
    }))
})
