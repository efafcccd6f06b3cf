/** The files of `deploy/` name what is there, start the server alike, and keep to what the image promises. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"

const read = (...names: ReadonlyArray<string>) => readFileSync(join(Command.CHECKOUT, ...names), "utf8")

const image = read("deploy", "Dockerfile")
const unit = read("deploy", "boocode.service")
const compose = read("deploy", "compose.yaml")

/** The words of an instruction in its form as a list. */
const listOf = (instruction: string): ReadonlyArray<string> =>
  JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(image)?.[1] ?? "[]")

/** All that `ENV` sets. */
const variables = [...image.matchAll(/^ENV (.*)$/gm)]
  .flatMap(([, pairs = ""]) => pairs.split(" "))
  .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const)

const allocator = (text: string) => text.match(/\bMALLOC_\w+=\d+/g)

describe("deploy/", Deadline.TEST, () => {
  it("starts with the same settings of memory in the image and by the unit", () => {
    const [tini, , node, flag, program = ""] = listOf("ENTRYPOINT")
    assert.deepStrictEqual([tini, node], ["/usr/bin/tini", "node"])
    assert.match(program, /\/boocode\/bin\/boocode\.cjs$/)
    const [, ofUnit, main = ""] = /bin\/node (\S+) \/opt\/boocode\/(\S+) serve /.exec(unit) ?? []
    assert.strictEqual(ofUnit, flag)
    assert.isTrue(existsSync(join(Command.CHECKOUT, main)))
    assert.lengthOf(allocator(image) ?? [], 3)
    assert.deepStrictEqual(allocator(unit), allocator(image))
  })

  it("builds the image from the packed command alone, by steps that are the same on every architecture", () => {
    const copied = [...image.matchAll(/^COPY (?!--from=install )(.*)$/gm)].map(([, what]) => what)
    assert.deepStrictEqual(copied, ["boocode-[0-9]*.tgz /tmp/"])
    assert.notMatch(image.replaceAll(/^#.*$/gm, ""), /amd64|arm64|x86|aarch|TARGET|--platform/)
    assert.match(compose, /context: packed\n +dockerfile: \.\.\/Dockerfile\n/)
    const ignored = read(".gitignore").split("\n")
    for (const name of ["deploy/packed", "deploy/postgres.password", "/deploy/.env"]) assert.include(ignored, name)
  })

  it("takes 250 MB at most: the base, Node and npm as published, and boocode as it is installed", () => {
    const parts = [...image.matchAll(/^# {3}(\S.*?) +(\d+\.\d)$/gm)].map(([, name = "", size]) =>
      [name, Number(size)] as const
    )
    assert.deepStrictEqual(parts.map(([name]) => name), [
      "debian:trixie-slim",
      "node",
      "npm",
      "tini, certificates",
      "boocode"
    ])
    assert.isAtMost(parts.reduce((sum, [, size]) => sum + size, 0), 250)
    const installed = Number(/It takes (\d+) MB on the disk/.exec(read("docs", "operation.md"))?.[1])
    assert.isAtMost(Math.abs(installed - (parts.at(-1)?.[1] ?? 0)), 1)
  })

  it("runs without root on a read-only file system, and gives PostgreSQL its password by a file", () => {
    assert.match(image, /^USER 1000:1000$/m)
    assert.deepStrictEqual(
      compose.match(/^ {4}(?:read_only|tmpfs|cap_drop|security_opt): .*$/gm)?.map((line) => line.trim()),
      [
        "read_only: true",
        "tmpfs: [/tmp]",
        "cap_drop: [ALL]",
        "security_opt: [\"no-new-privileges:true\"]"
      ]
    )
    assert.match(compose, /POSTGRES_PASSWORD_FILE: \/run\/secrets\/postgres$/m)
    assert.notMatch(compose, /POSTGRES_PASSWORD:/)
    assert.include(compose, `command: ${JSON.stringify(listOf("CMD")).replaceAll(",", ", ")}`)
  })

  it.live("writes to no folder but the volume and /tmp, is healthy by the check of the image, and ends by its signal", () =>
    Effect.gen(function*() {
      const volume = yield* Command.folder({ "data/mcp.json": "{}" })
      const inside = (value: string) => value.replaceAll("/data", join(volume, "data"))
      mkdirSync(join(volume, "tmp"))
      const server = yield* ChatServer.start(join(volume, "data"), {
        ...Object.fromEntries(variables.map(([name, value]) => [name, inside(value)])),
        TMPDIR: join(volume, "tmp"),
        // What Node may write to; programs that it starts are not held to it.
        NODE_OPTIONS:
          `--permission --allow-fs-read=* --allow-fs-write=${volume} --allow-child-process --allow-worker --allow-addons`
      }, listOf("CMD").slice(1).filter((word) => !["--port", "4266"].includes(word)))
      const [node, flag, check = ""] = listOf(" {2}CMD")
      assert.deepStrictEqual([node, flag], ["node", "-e"])
      const healthy = spawnSync(process.execPath, ["-e", check.replace("http://127.0.0.1:4266", server.url)])
      assert.strictEqual(healthy.status, 0, String(healthy.stderr))
      assert.isTrue(existsSync(join(volume, "data", "state", "chats.sqlite")))
      assert.notInclude(server.stderr(), "ERR_ACCESS_DENIED")
      assert.strictEqual(
        yield* server.end(/^STOPSIGNAL (SIG\w+)$/m.exec(image)?.[1] === "SIGTERM" ? "SIGTERM" : "SIGKILL", "process"),
        0
      )
    }))
})
