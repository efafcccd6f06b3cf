/** Agents that are made, changed and taken away over HTTP, and the files they are written in. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import * as Deadline from "./support/Deadline.ts"

const MINE = "<!-- mine -->\n\n---\nname: First # the one\n---\nYou are first.\n"

/** A server over a data folder with these files. */
const serving = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-agent-edits-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const data = join(folder, "data")
  mkdirSync(join(data, "agents"), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(data, name), text)
  const { url } = yield* AppServer.start(data)
  const ask = (method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const init = body === undefined
        ? { method }
        : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      const response = await fetch(`${url}/api/agents${path}`, init)
      return { status: response.status, body: response.status === 204 ? null : Object(await response.json()) }
    })
  const names = Effect.map(
    ask("GET", ""),
    ({ body }) => body.agents.map(({ name }: { readonly name: string }) => name).join()
  )
  return { ask, names, data, text: (name: string) => readFileSync(join(data, name), "utf8") }
})

describe("Agents over HTTP, in their files", Deadline.TEST, () => {
  it.live("are written, changed and taken away, and count at once; what else is written stays as it is", () =>
    Effect.gen(function*() {
      const { ask, data, names, text } = yield* serving({ "AGENTS.md": MINE })
      const made = yield* ask("POST", "", { name: "Prompt Builder", prompt: "You build.", tools: ["view_file"] })
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      assert.deepInclude(made.body, { file: join(data, "agents", "prompt-builder.md"), line: 1, editable: true })
      assert.strictEqual(
        text("agents/prompt-builder.md"),
        "---\nname: Prompt Builder\ntools: [view_file]\n---\n\nYou build.\n"
      )
      assert.strictEqual((yield* ask("POST", "", { name: "prompt builder", prompt: "" })).status, 201)
      assert.strictEqual(text("agents/prompt-builder-2.md"), "---\nname: prompt builder\n---\n")
      assert.strictEqual((yield* ask("POST", "", { name: "First", prompt: "" })).status, 409)
      assert.strictEqual((yield* ask("PUT", "/Prompt%20Builder", { name: "First", prompt: "" })).status, 409)

      const changed = yield* ask("PUT", "/First", { name: "One", prompt: "You are first.", steps: 3 })
      assert.strictEqual(changed.status, 200, JSON.stringify(changed.body))
      assert.strictEqual(text("AGENTS.md"), MINE.replace("name: First # the one\n", "name: One # the one\nsteps: 3\n"))
      assert.strictEqual(yield* names, "One,prompt builder,Prompt Builder")
      assert.strictEqual((yield* ask("DELETE", "/Prompt%20Builder")).status, 204)
      assert.isFalse(existsSync(join(data, "agents", "prompt-builder.md")))
      assert.strictEqual((yield* ask("DELETE", "/One")).status, 204)
      assert.strictEqual(text("AGENTS.md"), "<!-- mine -->\n\n")
      assert.strictEqual(yield* names, "prompt builder")
      assert.strictEqual((yield* ask("DELETE", "/One")).status, 404)
      assert.deepStrictEqual(readdirSync(data).toSorted(), ["AGENTS.md", "agents", "workspace"])
    }))

  it.live("keep Assistant as the default when the first is made, and let it be changed like the others", () =>
    Effect.gen(function*() {
      const { ask, names, text } = yield* serving({})
      assert.strictEqual(yield* names, "Assistant")
      assert.strictEqual((yield* ask("DELETE", "/Assistant")).body.state, "built-in")
      const two = yield* Effect.all(
        ["Ada", "Ada", "Bea"].map((name) => ask("POST", "", { name, prompt: `You are ${name}.` })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(two.map(({ status }) => status).toSorted(), [201, 201, 409])
      assert.strictEqual(yield* names, "Assistant,Ada,Bea")
      assert.match(text("AGENTS.md"), /^---\nname: Assistant\n/)
      const changed = yield* ask("PUT", "/Assistant", { name: "Assistant", prompt: "Be brief.", tools: [] })
      assert.deepInclude(changed.body, { tools: [], prompt: "Be brief." })
      assert.match(text("AGENTS.md"), /^---\nname: Assistant\ntools: \[\]\n---\n\nBe brief\.\n$/)
    }))

  it.live("are left alone where a mistake stands for all of them", () =>
    Effect.gen(function*() {
      const { ask, text } = yield* serving({ "AGENTS.md": "---\nname: Bad\ntools:\n---\nNo.\n" })
      const { body: { agents: [only] } } = yield* ask("GET", "")
      assert.deepInclude(only, { name: "Assistant", tools: [], editable: false })
      assert.match(only.why, /have mistakes/)
      assert.strictEqual((yield* ask("PUT", "/Assistant", { name: "Assistant", prompt: "" })).status, 409)
      assert.strictEqual((yield* ask("POST", "", { name: "Bad", prompt: "" })).status, 409)
      assert.strictEqual((yield* ask("POST", "", { name: "Good", prompt: "Yes." })).status, 201)
      assert.strictEqual(text("AGENTS.md"), "---\nname: Bad\ntools:\n---\nNo.\n")
    }))

  it.live("say that they cannot be changed where nothing can be written", () =>
    Effect.gen(function*() {
      const { ask, data } = yield* serving({ "AGENTS.md": MINE })
      chmodSync(data, 0o500)
      yield* Effect.addFinalizer(() => Effect.sync(() => chmodSync(data, 0o700)))
      // Nothing stops root.
      if (process.getuid?.() === 0) return
      const { body: { agents: [first] } } = yield* ask("GET", "")
      assert.deepInclude(first, { editable: false, why: `this program may not write into ${data}` })
      assert.strictEqual((yield* ask("PUT", "/First", { name: "First", prompt: "x" })).status, 409)
    }))
})
