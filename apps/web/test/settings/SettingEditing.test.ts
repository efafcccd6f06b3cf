import { assert, describe, it } from "@effect/vitest"
import type { Setting } from "../../src/api/Types.ts"
import { current, editing, examplesOf, grouped } from "../../src/settings/SettingEditing.ts"

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
    assert.strictEqual(editing(setting({ wanted: "true or false", default: false, value: false })).is, "switch")
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
