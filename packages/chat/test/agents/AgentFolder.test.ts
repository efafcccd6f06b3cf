import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { Agents } from "../../src/agents/Agents.ts"
import { asPerson, type OwnService } from "../support/AsPerson.ts"
import * as MemoryFiles from "../support/MemoryFiles.ts"

type Contents = Parameters<typeof MemoryFiles.layer>[0]

const block = (
  name: string,
  ...keys: ReadonlyArray<string>
) => ["---", `name: ${name}`, ...keys, "---", `You are ${name}.`]
const file = (...lines: ReadonlyArray<string>) => lines.join("\n")

/** The agents of these files of `/data`, and what is wrong with them. */
const withAgents = <A, E>(
  contents: Contents,
  body: (agents: OwnService<Agents["Service"]>, files: Contents) => Effect.Effect<A, E>,
  hooks: Parameters<typeof MemoryFiles.layer>[1] = {}
) => {
  const files = Object.fromEntries(Object.entries(contents).map(([name, content]) => [`/data/${name}`, content]))
  files["/etc/passwd"] = "root"
  const layer = Agents.layerFile("/data/AGENTS.md").pipe(
    Layer.provide(Layer.merge(MemoryFiles.layer(files, hooks), Path.layer))
  )
  return Agents.use((agents) => body(asPerson(agents), files)).pipe(Effect.provide(layer))
}

const listOf = (contents: Contents) => withAgents(contents, ({ list }) => list)
const placesOf = (contents: Contents) =>
  Effect.map(listOf(contents), ({ agents }) => agents.map(({ file, line, name }) => `${name} ${file}:${line}`))
const problemsOf = (contents: Contents) =>
  Effect.map(
    listOf(contents),
    ({ problems }) => problems.map(({ file, line, message }) => `${file}:${line} ${message}`)
  )

describe("The folder of agents", () => {
  it.effect("comes after AGENTS.md, file by file in order of their names, each with one or several agents", () =>
    Effect.gen(function*() {
      const places = yield* placesOf({
        "AGENTS.md": file(...block("First"), ...block("Second")),
        "agents/b.md": file(...block("B")),
        "agents/a.md": file("A word before.", "", ...block("A1"), ...block("A2")),
        "agents/README.md": "How these agents came to be.",
        "agents/notes.txt": file(...block("Text")),
        "agents/.hidden.md": file(...block("Hidden"))
      })
      assert.deepStrictEqual(places, [
        "First /data/AGENTS.md:1",
        "Second /data/AGENTS.md:5",
        "A1 /data/agents/a.md:3",
        "A2 /data/agents/a.md:7",
        "B /data/agents/b.md:1"
      ])
    }))

  it.effect("reads only the files that changed, and all of them again where the file system does not tell", () =>
    Effect.gen(function*() {
      const opened: Array<string> = []
      const contents = { "AGENTS.md": file(...block("Main")), "agents/a.md": "A.", "agents/b.md": "B." }
      const before = (path: string) => void opened.push(path)
      const read = (agents: OwnService<Agents["Service"]>) =>
        Effect.map(agents.list, ({ agents }) => {
          const files = opened.splice(0).filter((path) => path.endsWith(".md"))
          return [agents.map(({ name, prompt }) => `${name}: ${prompt}`).join(" "), ...files.toSorted()]
        })
      yield* withAgents(contents, (agents, files) =>
        Effect.gen(function*() {
          const all = ["/data/AGENTS.md", "/data/agents/a.md", "/data/agents/b.md"]
          assert.deepStrictEqual(yield* read(agents), ["Main: You are Main. a: A. b: B.", ...all])
          assert.deepStrictEqual(yield* read(agents), ["Main: You are Main. a: A. b: B."])
          files["/data/agents/b.md"] = "Another."
          assert.deepStrictEqual(yield* read(agents), ["Main: You are Main. a: A. b: Another.", "/data/agents/b.md"])
          delete files["/data/agents/a.md"]
          assert.deepStrictEqual(yield* read(agents), ["Main: You are Main. b: Another."])
        }), { before, mtime: new Date(-60_000) })
      for (const mtime of [undefined, new Date(-1000)]) {
        yield* withAgents({ "agents/a.md": "A." }, (agents) =>
          Effect.gen(function*() {
            assert.deepStrictEqual(yield* read(agents), yield* read(agents))
          }), { before, ...mtime === undefined ? {} : { mtime } })
      }
    }))

  it.effect("reads a file that becomes readable, though it looks as before", () => {
    let isRefused = true
    const refuses = (path: string) => isRefused && path.endsWith("a.md")
    return withAgents(
      { "AGENTS.md": file(...block("Main")), "agents/a.md": "A." },
      ({ list }) =>
        Effect.gen(function*() {
          const { problems } = yield* list
          assert.deepStrictEqual(problems.map(({ file }) => file), ["/data/agents/a.md"])
          isRefused = false
          const { agents, problems: left } = yield* list
          assert.deepStrictEqual(agents.map(({ name }) => name), ["Main", "a"])
          assert.deepStrictEqual(left, [])
        }),
      { refuses, mtime: new Date(-60_000) }
    )
  })

  it.effect("gives an agent without a name that of its file, whatever else its block says", () =>
    Effect.gen(function*() {
      const { agents, problems } = yield* listOf({
        "agents/code reviewer.md": file(
          "---",
          "description: Reads code.",
          "colour: blue",
          "tools: [grep]",
          "---",
          "Read."
        ),
        "agents/odd.md": file("---", "colour: red", "---", "Be odd."),
        "agents/plain.md": "You only talk.\n",
        "agents/two.md": file("---", "steps: 3", "---", "One.", ...block("Other"))
      })
      assert.deepStrictEqual(agents.map(({ name, prompt, steps, tools }) => ({ name, prompt, steps, tools })), [
        { name: "code reviewer", prompt: "Read.", steps: 25, tools: ["grep"] },
        { name: "odd", prompt: "Be odd.", steps: 25, tools: null },
        { name: "plain", prompt: "You only talk.", steps: 25, tools: null },
        { name: "two", prompt: "One.", steps: 3, tools: null },
        { name: "Other", prompt: "You are Other.", steps: 25, tools: null }
      ])
      assert.deepStrictEqual(problems.map(({ line, message }) => `${line} ${message}`), [
        "3 unknown key colour is ignored",
        "2 unknown key colour is ignored"
      ])
    }))

  it.effect("keeps the first of two agents with one name, and names both places", () =>
    Effect.gen(function*() {
      const contents = {
        "AGENTS.md": file("Agents.", ...block("Twin", "steps: 1")),
        "agents/a.md": file(...block("Twin", "steps: 2")),
        "agents/b.md": file(...block("B"), ...block("B"))
      }
      const { agents } = yield* listOf(contents)
      assert.deepStrictEqual(agents.map(({ name, steps }) => [name, steps]), [["Twin", 1], ["B", 25]])
      assert.deepStrictEqual(yield* problemsOf(contents), [
        "/data/agents/a.md:1 /data/AGENTS.md:2 already has an agent called Twin; this one is left out",
        "/data/agents/b.md:5 line 1 already has an agent called B; this one is left out"
      ])
    }))

  it.effect("refuses a link out of the data folder and a file over 1 MB, and takes a link within it", () =>
    Effect.gen(function*() {
      const contents = {
        "agents/out.md": MemoryFiles.link("/etc/passwd"),
        "agents/in.md": MemoryFiles.link("/data/shared/in.md"),
        "agents/big.md": file(...block("Big"), "x".repeat(1_100_000)),
        "shared/in.md": file(...block("In"))
      }
      assert.deepStrictEqual(yield* placesOf(contents), ["In /data/agents/in.md:1"])
      const [big, out] = yield* problemsOf(contents)
      assert.strictEqual(big, "/data/agents/big.md:1 cannot be read: the file has more than 1 MB")
      assert.strictEqual(out, "/data/agents/out.md:1 cannot be read: it is a link that leads out of the data folder")
    }))

  it.effect("a broken file hurts no other, and widens nothing where no agent is left", () =>
    Effect.gen(function*() {
      const broken = file("---", "name: Broken", "tools: [!x", "---")
      const one = yield* listOf({ "agents/a.md": broken, "agents/b.md": file(...block("B", "tools: [grep]")) })
      assert.deepStrictEqual(one.agents.map(({ name, tools }) => [name, tools]), [["B", ["grep"]]])
      assert.strictEqual(one.problems.length, 1)
      for (const wrong of [broken, "", "  tools: [grep]\nno block", "---\ntools: [grep]\nno end"]) {
        const { agents, problems } = yield* listOf({ "agents/a.md": wrong })
        assert.deepStrictEqual(agents.map(({ name, tools }) => [name, tools]), [["Assistant", []]], wrong)
        assert.isAbove(problems.length, 0)
      }
    }))

  it.effect("may be absent, and may be all there is", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* listOf({})).agents.map(({ name, tools }) => [name, tools]), [["Assistant", null]])
      assert.deepStrictEqual(yield* placesOf({ "agents/a.md": file(...block("A")) }), ["A /data/agents/a.md:1"])
    }))

  it.effect("tells of a file that was saved, came or went, and of nothing else", () => {
    const contents: Record<string, string> = { "/data/AGENTS.md": file(...block("A")) }
    const layer = Agents.layerFile("/data/AGENTS.md").pipe(
      Layer.provide(Layer.merge(MemoryFiles.layer(contents), Path.layer))
    )
    return Agents.use(({ changes }) =>
      Effect.gen(function*() {
        let count = 0
        const heard = yield* Effect.forkChild(Stream.runForEach(changes, () => Effect.sync(() => void count++)))
        const after = Effect.map(TestClock.adjust("5 seconds"), () => count)
        assert.strictEqual(yield* after, 0)
        contents["/data/AGENTS.md"] = file(...block("Changed"))
        assert.strictEqual(yield* after, 1)
        contents["/data/agents/new.md"] = file(...block("New"))
        assert.strictEqual(yield* after, 2)
        delete contents["/data/agents/new.md"]
        assert.strictEqual(yield* after, 3)
        contents["/data/other.md"] = "not an agent"
        assert.strictEqual(yield* after, 3)
        yield* Fiber.interrupt(heard)
      })
    ).pipe(Effect.provide(layer))
  })
})
