import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as AppCommand from "./support/AppCommand.ts"
import { data } from "./support/CliFolder.ts"
import * as Command from "./support/Command.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Verdicts from "./support/Verdicts.ts"
import * as Zoo from "./support/Zoo.ts"

const ZOO = {
  deaf: { ...Zoo.entry("Silent"), startupTimeout: "4 seconds" },
  exits: Zoo.entry("Exits", "initialize"),
  lists: Zoo.entry("ListFails"),
  gone: { command: "no-such-program-here" },
  unset: { command: "node", args: ["${NOT_SET_ANYWHERE}"] },
  closed: { url: "http://127.0.0.1:1/mcp" },
  malformed: Zoo.entry("MalformedTool")
}

const FOUND = {
  broken: "entry",
  closed: "handshake",
  deaf: "handshake",
  echo: "handshake",
  exits: "handshake",
  files: "healthy",
  gone: "command",
  lists: "listing",
  malformed: "healthy",
  off: "disabled",
  unset: "variables"
}

describe("mcp doctor", () => {
  it.live(
    "finds of each server the step that it does not get past, says what to do, and leaves no process behind",
    () =>
      Effect.gen(function*() {
        const place = yield* data({}, ZOO)
        const ended = yield* AppCommand.run(["mcp", "doctor", "--data", place.data, "--json"])
        assert.strictEqual(ended.code, 1, ended.stderr)
        assert.deepStrictEqual(Verdicts.of(ended.stdout), FOUND)
        const { servers } = JSON.parse(ended.stdout)
        const files: Verdicts.Found = servers.find(({ name }: Verdicts.Found) => name === "files")
        const timed = files.steps.filter(({ millis }) => millis !== null && millis >= 0).map(({ step }) => step)
        assert.deepStrictEqual(timed, ["start", "handshake", "listing"])
        assert.strictEqual(yield* place.left, 0)
        assert.notInclude(ended.stdout, "CANARY")
      }),
    120_000
  )

  it.live(
    "examines one server alone and starts no other, and none that nobody approved",
    () =>
      Effect.gen(function*() {
        const started = join(yield* Command.folder({}), "started")
        const tells = { command: "sh", args: ["-c", "echo x > \"$0\"; exec cat", started] }
        const place = yield* data({ "data/.mcp.json": JSON.stringify({ mcpServers: { theirs: tells } }) }, { tells })
        const doctor = (name: string) =>
          AppCommand.run(["mcp", "doctor", name, "--data", place.data], {
            cwd: place.data,
            env: { INIT_CWD: place.data }
          })
        const files = yield* doctor("files")
        assert.strictEqual(files.code, 0, files.stderr)
        assert.match(files.stdout, /^files {2}healthy {2}\d+ tools/)
        assert.match(files.stdout, /\n1 server: 1 healthy, 0 off, 0 with a problem; --verbose shows every step\n$/)
        const theirs = yield* doctor("theirs")
        assert.strictEqual(theirs.code, 1)
        assert.match(theirs.stdout, /problem {2}approval\n.*\n.*boocode mcp approve theirs/)
        assert.isFalse(existsSync(started))
        const own = yield* doctor("tells")
        assert.strictEqual(own.code, 1)
        assert.isTrue(existsSync(started))
        assert.strictEqual(yield* place.left, 0)
      }),
    120_000
  )

  it.live(
    "starts a server that sleeps, to see it as it is, and finds programs where the login shell finds them (R69)",
    () =>
      Effect.gen(function*() {
        const place = yield* data({
          "data/settings.json": JSON.stringify({ loginShellPath: true }),
          ".profile": `PATH="${"$"}HOME/own:${"$"}PATH"\nsleep 60 &\n`,
          "own/.keep": ""
        }, { lazy: { ...FixtureServer.entry("Echo"), lazy: true }, shelled: { command: "own-server" } })
        const own = join(place.folder, "own", "own-server")
        writeFileSync(own, `#!/bin/sh\nexec "${FixtureServer.NODE}" "${FixtureServer.file("Echo")}"\n`, { mode: 0o755 })
        const doctor = AppCommand.run(["mcp", "doctor", "--data", place.data, "--json"], {
          cwd: place.folder,
          env: { SHELL: "/bin/sh", BOOCODE_STATE_DIR: join(place.folder, "state") }
        })
        yield* doctor
        const { servers } = JSON.parse((yield* doctor).stdout)
        for (const name of ["lazy", "shelled"]) {
          const found: Verdicts.Found = servers.find((one: Verdicts.Found) => one.name === name)
          assert.strictEqual(found.verdict, "healthy", name)
          const handshake = found.steps.find(({ step }) => step === "handshake")
          assert.isNumber(handshake?.millis, name)
        }
        assert.strictEqual(yield* place.left, 0)
      }),
    120_000
  )
})
