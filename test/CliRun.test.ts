/** Programs that people run by hand, in the real sandbox: those of docs/run.md, alone and through a running server. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import * as AppServer from "./support/AppServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import { compile } from "./support/Typed.ts"

const PAGE = readFileSync(join(Command.CHECKOUT, "docs/run.md"), "utf8")

/** The blocks of the page with a file, by what stands in their brackets. */
const BLOCKS: ReadonlyMap<string, string> = new Map(
  [...PAGE.matchAll(/^```\w+ \[(.*)\]\n([^]*?)^```$/gm)].map(([, name = "", text = ""]) => [name, text])
)

const block = (name: string): string => BLOCKS.get(name) ?? assert.fail(`docs/run.md has no block ${name}`)

/** What the page does in a shell with a program of one line. */
const ONE_LINE = /^echo '(.*)' \| boocode run -$/m.exec(PAGE)?.[1] ??
  assert.fail("docs/run.md has no program of one line")

const folder = Effect.gen(function*() {
  const files = { command: "mcp-server-filesystem", args: ["workspace"] }
  const place = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers: { files } }),
    "data/workspace/notes/ann.md": "buy tea\n",
    "data/workspace/notes/bob.md": "call Ann about tea\n",
    ...Object.fromEntries([...BLOCKS].filter(([name]) => name.endsWith(".ts")))
  })
  const env = { BOOCODE_STATE_DIR: join(place, "state") }
  const run = (args: ReadonlyArray<string>, stdin?: string) =>
    AppCommand.run(["run", ...args, "--data", "data"], { cwd: place, env, ...stdin === undefined ? {} : { stdin } })
  return { place, run, data: join(place, "data") }
})

/** Only the server's own folder differs from the page. */
const shortened = (text: string) => text.replaceAll(/'[^']*\/notes\//g, "'/…/notes/")

describe("boocode run", Deadline.TEST, () => {
  it.live("prints what its page says, of programs in files and on standard input", () =>
    Effect.gen(function*() {
      const { run } = yield* folder
      const longest = yield* run(["longest.ts"])
      assert.deepStrictEqual([longest.code, longest.stdout], [0, block("longest.ts prints")], longest.stderr)
      const missing = yield* run(["missing.ts"])
      assert.deepStrictEqual([missing.code, shortened(missing.stderr)], [1, block("missing.ts prints")])
      const one = yield* run(["-"], ONE_LINE)
      assert.strictEqual(one.stdout, "[FILE] ann.md\n[FILE] bob.md\n")
    }).pipe(Effect.scoped))

  it.live("makes its calls through the server that runs on the data folder", () =>
    Effect.gen(function*() {
      const { data, place, run } = yield* folder
      yield* AppServer.start(data, { BOOCODE_STATE_DIR: join(place, "state") })
      const longest = yield* run(["longest.ts"])
      assert.strictEqual(longest.stdout, block("longest.ts prints"))
      assert.include(longest.stderr, "talking to the server at")
      const write = "await files.write_file({ path: \"new.md\", content: \"x\" })"
      assert.include((yield* run(["-"], write)).stderr, "--allow files_write_file allows it")
      const allowed = yield* run(["-", "--allow", "files_write_file", "--json"], write)
      assert.strictEqual(allowed.code, 0, allowed.stderr)
      assert.strictEqual(readFileSync(join(data, "workspace/new.md"), "utf8"), "x")
    }).pipe(Effect.scoped))

  it.live("ends a program that takes too much memory, and says at which line", () =>
    Effect.gen(function*() {
      const { run } = yield* folder
      const ended = yield* run(["-", "--json"], "let all = []\nwhile (true) all.push(new Uint8Array(1_000_000))")
      assert.strictEqual(ended.code, 1)
      assert.deepInclude(JSON.parse(ended.stdout).error, { kind: "memory", line: 2 })
    }).pipe(Effect.scoped))

  it.live("prints declarations with which a compiler takes the programs of its page", () =>
    Effect.gen(function*() {
      const { place, run } = yield* folder
      const types = yield* run(["--types"])
      assert.strictEqual(types.code, 0, types.stderr)
      // A return stands at the top of a program; a compiler wants it in a function.
      const wrapped = `async function program() {\n${block("longest.ts")}\n}\nvoid program\n`
      assert.deepStrictEqual(yield* compile(place, { "tools.d.ts": types.stdout, "program.ts": wrapped }), "")
      assert.include(
        yield* compile(place, { "tools.d.ts": types.stdout, "wrong.ts": "void files.read_text_file({ path: 1 })" }),
        "Type 'number' is not assignable to type 'string'"
      )
    }).pipe(Effect.scoped))
})
