import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode } from "../support/Scripted.ts"

const PASSPHRASE = { BOOCODE_BACKUP_PASSPHRASE: "correct horse" }

describe("backup and restore", () => {
  it.effect("write credentials only on demand, and only under a passphrase of some length", () =>
    Effect.gen(function*() {
      const plain = yield* boocode(["backup", "/x.tar.gz"])
      assert.deepStrictEqual([plain.code, plain.log.at(-1)], [
        0,
        `backup {"file":"/x.tar.gz","hasWorkspace":false,"sealed":false}`
      ])
      const sealed = yield* boocode(["backup", "/x.tar.gz", "--credentials", "--workspace"], { variables: PASSPHRASE })
      assert.strictEqual(sealed.log.at(-1), `backup {"file":"/x.tar.gz","hasWorkspace":true,"sealed":true}`)
      const none = yield* boocode(["backup", "/x.tar.gz", "--credentials"])
      const short = yield* boocode(["backup", "/x.tar.gz", "--credentials"], {
        variables: { BOOCODE_BACKUP_PASSPHRASE: "short" }
      })
      assert.deepStrictEqual([none.code, short.code, none.log, short.log], [2, 2, [], []])
      assert.include(none.stderr, "BOOCODE_BACKUP_PASSPHRASE")
    }))

  it.effect("restore asks a person first, and without one needs --yes", () =>
    Effect.gen(function*() {
      const nobody = yield* boocode(["restore", "/x.tar.gz"])
      assert.deepStrictEqual([nobody.code, nobody.stdout], [2, ""])
      assert.deepStrictEqual(nobody.log, ["restore /x.tar.gz, open"], "the file was looked at")
      assert.include(nobody.stderr, "boocode restore /x.tar.gz --yes")
      const no = yield* boocode(["restore", "/x.tar.gz"], { isTerminal: true, typed: ["", "n"] })
      assert.strictEqual(no.stdout, "nothing was changed\n")
      assert.include(no.stderr, "restore only a backup of your own")
      const yes = yield* boocode(["restore", "/x.tar.gz", "--yes", "--json"], { variables: PASSPHRASE })
      assert.strictEqual(yes.log.at(-1), "restore /x.tar.gz, sealed")
      assert.deepInclude(JSON.parse(yes.stdout).restored, { files: 2, kept: ["/state/before-restore/now"] })
      const without = yield* boocode(["restore", "/x.tar.gz", "--yes", "--without-credentials"], {
        variables: PASSPHRASE
      })
      assert.strictEqual(without.log.at(-1), "restore /x.tar.gz, open")
    }))

  it.effect("restore does nothing while a server runs on the data folder", () =>
    Effect.gen(function*() {
      const refused = yield* boocode(["restore", "/x.tar.gz", "--yes"], { running: "http://127.0.0.1:4266" })
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, "a server runs on this data folder at http://127.0.0.1:4266")
      assert.notInclude(refused.log.join("\n"), "restore")
    }))
})
