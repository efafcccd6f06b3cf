import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as WindowsCommand from "../../src/stdio/WindowsCommand.ts"

const NPX = "C:\\Program Files\\nodejs\\npx.cmd"

const look = (files: ReadonlyArray<string>, lookup: Partial<WindowsCommand.Lookup>) =>
  WindowsCommand.resolve({
    command: "npx",
    args: [],
    cwd: "C:\\work",
    searched: ["C:\\bin", "C:\\Program Files\\nodejs"],
    extensions: undefined,
    ...lookup
  }).pipe(
    Effect.provide(FileSystem.layerNoop({ exists: (file) => Effect.succeed(files.includes(file)) }))
  )

/** What cmd makes of a line: outside of quotes a caret takes the next character as it is. */
const read = (text: string): string => {
  let out = ""
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ""
    if (char === "^") at += 1
    else if (/[()%!"<>&|]/.test(char)) throw new Error(`cmd would act upon ${char} at ${at} of ${text}`)
    out += text[at] ?? ""
  }
  return out
}

/** How the Microsoft C runtime splits a command line that holds quoted arguments only. */
const split = (text: string): ReadonlyArray<string> => {
  const args: Array<string> = []
  let at = 0
  while (at < text.length) {
    if (text[at] === " ") at += 1
    assert.strictEqual(text[at], "\"")
    let argument = ""
    for (at += 1; text[at] !== "\""; at += 1) {
      let slashes = 0
      while (text[at + slashes] === "\\") slashes += 1
      if (text[at + slashes] !== "\"") {
        argument += "\\".repeat(slashes) + (text[at + slashes] ?? "")
        at += slashes
        continue
      }
      argument += "\\".repeat(Math.floor(slashes / 2))
      at += slashes
      if (slashes % 2 === 0) break
      argument += "\""
    }
    args.push(argument)
    at += 1
  }
  return args
}

describe("WindowsCommand", () => {
  it.effect("starts a batch file through cmd, found by the extensions that Windows tries (R69)", () =>
    Effect.gen(function*() {
      const found = yield* look([NPX], { args: ["-y", "server"] })
      assert.deepStrictEqual(found, {
        _tag: "Batch",
        line: "C:\\Program^ Files\\nodejs\\npx.cmd ^^^\"-y^^^\" ^^^\"server^^^\""
      })
    }))

  it.effect("starts a program as it is, and prefers it as PATHEXT says (R69)", () =>
    Effect.gen(function*() {
      const both = ["C:\\bin\\tool.exe", "C:\\bin\\tool.cmd"]
      assert.deepStrictEqual(yield* look(both, { command: "tool" }), { _tag: "Program", file: "C:\\bin\\tool.exe" })
      const found = yield* look(both, { command: "tool", extensions: ".CMD;.EXE" })
      assert.strictEqual(found._tag, "Batch")
    }))

  it.effect("looks for a path where the entry stands, and gives back what is not found (R69)", () =>
    Effect.gen(function*() {
      const found = yield* look(["C:\\work\\.\\run.cmd"], { command: ".\\run.cmd" })
      assert.deepStrictEqual(found, { _tag: "Batch", line: "C:\\work\\.\\run.cmd" })
      assert.deepStrictEqual(yield* look([], { command: "gone" }), { _tag: "Program", file: "gone" })
    }))

  it.effect("refuses an argument with a line break for a batch file, and says which (R69)", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(look([NPX], { args: ["-y", "a\r\ncalc"] }))
      assert.match(refused, /argument 2 holds a line break/)
    }))

  it.prop(
    "hands every argument to the program as it was, whatever cmd would make of its characters (R69)",
    [Schema.Array(Schema.String.check(Schema.isPattern(/^[^\r\n\0]*$/)))],
    ([args]) => {
      const hostile = [...args, "a&calc", "%PATH%", "say \"hi\"", "back\\", "\\\"", "x^y", "!a!", ""]
      const made = Result.getOrThrow(WindowsCommand.line("npx.cmd", hostile))
      const toProgram = read(read(made).slice("npx.cmd ".length))
      assert.deepStrictEqual(split(toProgram), hostile)
    }
  )
})
