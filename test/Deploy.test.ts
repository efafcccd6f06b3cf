/** The files of `deploy/` name what is there, and start the server alike. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { CHECKOUT } from "./support/Command.ts"

const read = (name: string) => readFileSync(join(CHECKOUT, "deploy", name), "utf8")

const image = read("Dockerfile")
const unit = read("boocode.service")

const START = /(--max-semi-space-size=16)[", ]+\/(?:opt\/boocode|app)\/(apps\/cli\/src\/main\.ts)/

const allocator = (text: string) => text.match(/\bMALLOC_\w+=\d+/g)

describe("deploy/", () => {
  it("starts the same program with the same settings of memory in the image and by the unit", () => {
    const [, flag, program = ""] = START.exec(image) ?? []
    assert.deepStrictEqual(START.exec(unit)?.slice(1), [flag, program])
    assert.isTrue(existsSync(join(CHECKOUT, program)))
    assert.lengthOf(allocator(image) ?? [], 3)
    assert.deepStrictEqual(allocator(unit), allocator(image))
  })

  it("builds from the root of the repository, whose manifest and scripts the image needs", () => {
    const compose = read("compose.yaml")
    const path = (key: string) => new RegExp(`^ +${key}: (.+)$`, "m").exec(compose)?.[1] ?? ""
    const context = join(CHECKOUT, "deploy", path("context"))
    assert.isTrue(existsSync(join(context, "pnpm-workspace.yaml")))
    assert.strictEqual(join(context, path("dockerfile")), join(CHECKOUT, "deploy/Dockerfile"))
    const [, script = ""] = /^RUN node (\S+) run$/m.exec(image) ?? []
    assert.isTrue(existsSync(join(context, script)))
  })

  it("keeps the keys and the state of this machine out of the image", () => {
    const ignored = read("Dockerfile.dockerignore").split("\n")
    for (const pattern of ["**/.env", "**/.env.*", "data/state", ".git", "**/node_modules"]) {
      assert.include(ignored, pattern)
    }
  })
})
