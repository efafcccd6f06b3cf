import { assert, describe, it } from "@effect/vitest"
import process from "node:process"
import { Nearest } from "../../src/index.ts"

/** Processor time so far in milliseconds, to which other programs of the machine do not add. */
const worked = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const KEYS = ["command", "args", "env", "envFile", "timeout", "startupTimeout", "maxTotalTimeout", "url"]

describe("Nearest", () => {
  it("gives the candidate a slip of the finger away (R66)", () => {
    assert.deepStrictEqual(Nearest.nearest("comand", KEYS), ["command"])
    assert.deepStrictEqual(Nearest.nearest("tiemout", KEYS), ["timeout"])
  })

  it("counts two neighbours that changed places as one slip", () => {
    assert.deepStrictEqual(Nearest.nearest("filse", ["files", "slow"]), ["files"])
    assert.deepStrictEqual(Nearest.nearest("opnai", ["openai", "google"]), ["openai"])
    assert.deepStrictEqual(Nearest.nearest("iflse", ["files"]), [])
    assert.deepStrictEqual(Nearest.nearest("ab", ["ba"]), [])
  })

  it("takes no account of case", () => {
    assert.deepStrictEqual(Nearest.nearest("URL", KEYS), ["url"])
  })

  it("counts a name inside another as near, the nearest first", () => {
    assert.deepStrictEqual(Nearest.nearest("environment", KEYS, 1), ["env"])
    assert.deepStrictEqual(Nearest.nearest("timeout", KEYS), ["timeout", "startupTimeout", "maxTotalTimeout"])
  })

  it("gives at most as many as asked for, and nothing when nothing is near", () => {
    assert.deepStrictEqual(Nearest.nearest("timeout", KEYS, 2), ["timeout", "startupTimeout"])
    assert.deepStrictEqual(Nearest.nearest("weather", KEYS), [])
    assert.deepStrictEqual(Nearest.nearest("", KEYS), [])
    assert.deepStrictEqual(Nearest.nearest("command", []), [])
  })

  it("orders candidates equally near by name, each once", () => {
    assert.deepStrictEqual(Nearest.nearest("tool_x", ["tool_c", "tool_a", "tool_b", "tool_a"]), [
      "tool_a",
      "tool_b",
      "tool_c"
    ])
  })

  it("is none that nobody would read", () => {
    assert.deepStrictEqual(Nearest.nearest("notes", ["my notes", `notes ${"x".repeat(500)}`]), ["my notes"])
  })

  it("is found at once among ten thousand that are alike", () => {
    const like = (name: string) => `file:///home/somebody/${"projects/website/content/".repeat(8)}${name}.md`
    const uris = Array.from({ length: 10_000 }, (_, index) => like(`post-${index}`))
    const since = worked()
    assert.deepStrictEqual(Nearest.nearest(like("post-09"), uris), [like("post-0"), like("post-109"), like("post-19")])
    // It took thirteen seconds when each was compared in detail.
    assert.isBelow(worked() - since, 2000)
  })
})
