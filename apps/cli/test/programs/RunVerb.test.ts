import { type CallRecord, type Program, type ProgramOutcome, Sandbox } from "@boocode/toolkit/code"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { boocode, json, type Script, status, tool } from "../support/Scripted.ts"

/** Calls these functions in turn, and returns what they gave. */
const calling = (...calls: ReadonlyArray<readonly [name: string, args: Schema.JsonObject]>) =>
  sandbox(Effect.fnUntraced(function*(program) {
    const values = new Array<Schema.Json>()
    const records = new Array<CallRecord>()
    for (const [at, [name, args]] of calls.entries()) {
      const id = at + 1
      const answer = yield* program.call({ id, name, args, line: id, waiting: () => Effect.void })
      const outcome = "value" in answer ? "done" : answer.outcome ?? "failed"
      records.push({ id, name, line: id, outcome, millis: 2 })
      if ("value" in answer) values.push(answer.value)
      else {
        const error = { kind: "threw", message: answer.error, line: id, text: "await it", during: name } as const
        return { value: undefined, console: [], calls: records, error }
      }
    }
    return { value: values, console: [], calls: records, error: null }
  }))

const sandbox = (run: (program: Program) => Effect.Effect<ProgramOutcome>) =>
  Layer.succeed(Sandbox, Sandbox.of({ run: (program) => run(program) }))

const FILES = {
  files: FileSystem.layerNoop({
    exists: () => Effect.succeed(false),
    readFileString: (file) => Effect.succeed(file.endsWith("notes.ts") ? "return await files.read({})" : "")
  }),
  servers: [status("files")],
  tools: [tool("files", "read")]
} satisfies Script

const answer = (text: string, structuredContent: Schema.Json = null) =>
  ({ isError: false, content: [{ type: "text", text }], structuredContent, millis: 3 }) as const

const WRITER = { ...tool("files", "write"), class: "destroys" as const, needsApproval: true }

describe("boocode run", () => {
  it.effect("prints the console as it comes and then the value, and starts only the servers that the program names", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["run", "notes.ts"], {
        ...FILES,
        sandbox: sandbox((program) =>
          Effect.gen(function*() {
            yield* program.onConsole?.("one") ?? Effect.void
            return { value: { source: program.source }, console: ["one"], calls: [], error: null }
          })
        )
      })
      assert.strictEqual(ended.code, 0)
      assert.strictEqual(ended.stdout, "one\n{\n  \"source\": \"return await files.read({})\"\n}\n")
      assert.deepStrictEqual(ended.log, ["open", "settled files", "close"])
    }))

  it.effect("gives a program structured content, else JSON, else text, and describes its functions", () =>
    Effect.gen(function*() {
      const answers = [answer("x", { rows: 1 }), answer("[1]"), answer("plain")]
      const ended = yield* boocode(["run", "notes.ts", "--json"], {
        ...FILES,
        call: () => Effect.sync(() => answers.shift() ?? answer("")),
        sandbox: calling(["files_read", {}], ["files_read", {}], ["files_read", {}])
      })
      assert.deepStrictEqual(json(ended.stdout), {
        value: [{ rows: 1 }, [1], "plain"],
        console: [],
        calls: Array.from({ length: 3 }, () => ({ tool: "files_read", isError: false, outcome: "done", millis: 2 })),
        error: null
      })
      const described = yield* boocode(["run", "notes.ts"], {
        ...FILES,
        sandbox: sandbox(({ describe, functions }) =>
          Effect.gen(function*() {
            const of = functions.filter(({ server }) => server === "files").map(({ name, tool }) => [name, tool])
            const value = [of, yield* describe("files.read"), yield* describe("nothing")]
            return { value, console: [], calls: [], error: null }
          })
        )
      })
      const [functions, whole, none] = json(described.stdout) as ReadonlyArray<Schema.Json>
      assert.deepStrictEqual(functions, [["files_read", "read"]])
      assert.match(String(whole), /files\.read\(.*\): Promise<unknown>/)
      assert.match(String(none), /no function is called nothing/)
    }))

  it.effect("ends with exit 1 and the line of an error, with what became of each call", () =>
    Effect.gen(function*() {
      const script = {
        ...FILES,
        call: (name: string, args: unknown) =>
          Effect.succeed(JSON.stringify(args) === "{}" ? answer(name) : { ...answer("no such file"), isError: true }),
        sandbox: calling(["files_read", {}], ["files_read", { path: "b" }])
      } satisfies Script
      const ended = yield* boocode(["run", "notes.ts"], script)
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.deepStrictEqual(ended.stderr.split("\n"), [
        "error  no such file",
        "       in notes.ts, line 2: await it",
        "       2 calls: 1 done, 1 failed",
        ""
      ])
      const asJson = yield* boocode(["run", "notes.ts", "--json"], script)
      assert.strictEqual(asJson.code, 1)
      assert.deepInclude(json(asJson.stdout), {
        error: { kind: "threw", message: "no such file", line: 2, text: "await it", during: "files_read" }
      })
    }))

  it.effect("asks a person about each call that writes, or takes --allow, as mcp call does", () =>
    Effect.gen(function*() {
      const sent = new Array<unknown>()
      const script = {
        ...FILES,
        writers: [WRITER],
        call: (name: string, args: unknown) => Effect.sync(() => (sent.push([name, args]), answer("written"))),
        sandbox: calling(["files_write", { path: "a" }], ["files_write", { path: "b" }])
      } satisfies Script
      const said = yield* boocode(["run", "notes.ts"], { ...script, typed: ["y", "n"] })
      assert.strictEqual(said.code, 1)
      assert.include(said.stderr, "error  was not called: you did not say yes")
      assert.include(said.stderr, "2 calls: 1 done, 1 not made")
      assert.deepStrictEqual(sent.splice(0), [["files_write", { path: "a" }]])
      const nobody = yield* boocode(["run", "notes.ts"], script)
      assert.include(
        nobody.stderr,
        "there is no terminal to say yes in; the same command with --allow files_write allows it"
      )
      assert.deepStrictEqual(sent, [])
      const allowed = yield* boocode(["run", "-", "--allow", "files_*"], { ...script, stdin: "await files.write({})" })
      assert.deepStrictEqual([allowed.code, sent.length], [0, 2])
    }))

  it.effect("tells of servers that the program names and that are not ready, and runs it all the same", () =>
    Effect.gen(function*() {
      const told = { _tag: "NotFound", message: "command not found: x", hint: "install x" }
      const process = { exitCode: null, signal: null, stderr: null, code: null, method: null, limitMillis: null }
      const ended = yield* boocode(["run", "notes.ts"], {
        ...FILES,
        servers: [{ ...status("files"), state: "failed", error: { ...told, ...process } }],
        sandbox: calling()
      })
      assert.strictEqual(ended.code, 0)
      assert.match(ended.stderr, /warning {2}.*files.*command not found: x.*install x/)
    }))

  it.effect("prints declarations of all functions for an editor", () =>
    Effect.gen(function*() {
      const ended = yield* boocode(["run", "--types"], { ...FILES, writers: [WRITER] })
      assert.strictEqual(ended.code, 0)
      assert.match(ended.stdout, /^declare const files: \{\n[^]*read\([^]*write\(/)
      assert.deepStrictEqual(ended.log, ["open", "settled", "close"])
    }))

  it.effect("wants a file, and takes none beside --types", () =>
    Effect.gen(function*() {
      for (const args of [["run"], ["run", "notes.ts", "--types"]]) {
        assert.strictEqual((yield* boocode(args, FILES)).code, 2, args.join(" "))
      }
    }))
})
