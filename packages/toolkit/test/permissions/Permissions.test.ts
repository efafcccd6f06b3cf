import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as ChangingFiles from "../../../mcp-config/test/support/ChangingFiles.ts"
import { PermissionRule, Permissions } from "../../src/index.ts"

const FILE = "/data/permissions.jsonc"
const PROJECT = "/repo/.boocode/permissions.jsonc"
const BELOW = "/repo/app/.boocode/permissions.jsonc"

/** The rules of these files, followed until the test ends, a second after that began. */
const world = Effect.fnUntraced(function*(start: Readonly<Record<string, string>>) {
  const disk = yield* ChangingFiles.make(start)
  const layer = Permissions.watchLayer.pipe(
    Layer.provideMerge(Permissions.layer({ file: FILE, projectFrom: "/repo/app" })),
    Layer.provide(disk.files)
  )
  const permissions = yield* Effect.provideContext(
    Permissions,
    yield* Layer.buildWithScope(layer, yield* Effect.scope)
  )
  yield* TestClock.adjust("1 second")
  return { disk, permissions }
})

const rulesOf = (permissions: Permissions["Service"]) =>
  Effect.map(
    permissions.contents,
    (contents) => Permissions.tableOf(contents).rules.map((rule) => `${rule.source} ${PermissionRule.describe(rule)}`)
  )

const faultOf = (permissions: Permissions["Service"]) =>
  Effect.map(permissions.contents, (contents) => Permissions.tableOf(contents).fault)

const denying = (...names: ReadonlyArray<string>) => JSON.stringify({ rules: names.map((deny) => ({ deny })) })

describe("Permissions", () => {
  it.effect("reads a person's own file, and those of the project up to the root of its repository", () =>
    Effect.gen(function*() {
      const { permissions } = yield* world({
        [FILE]: "{ \"write\": \"ask\", \"rules\": [{ \"allow\": \"a\" }] }",
        [BELOW]: denying("b"),
        [PROJECT]: JSON.stringify({ write: "rules", rules: [{ allow: "*" }, { ask: "c" }] }),
        "/.boocode/permissions.jsonc": denying("not of the repository"),
        "/repo/.git": ""
      })
      assert.deepStrictEqual(yield* rulesOf(permissions), [
        `${FILE}:1 allow a`,
        `${BELOW}:1 deny b`,
        `${PROJECT}:1 ask c`
      ])
      assert.strictEqual(Permissions.tableOf(yield* permissions.contents).write, "ask")
      assert.strictEqual(permissions.file, FILE)
      assert.deepStrictEqual(yield* permissions.files, [FILE, BELOW, PROJECT])
    }))

  it.effect("without any file has no rule and write mode off", () =>
    Effect.gen(function*() {
      const { permissions } = yield* world({})
      assert.deepStrictEqual(Permissions.tableOf(yield* permissions.contents), {
        write: "off",
        rules: [],
        grants: [],
        fault: null
      })
    }))

  it.effect("takes a change of any of its files, and one that was not there, a moment after it was saved", () =>
    Effect.gen(function*() {
      const { disk, permissions } = yield* world({ [FILE]: denying("a"), "/repo/.git": "" })
      yield* disk.replace(FILE, denying("b"))
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(yield* rulesOf(permissions), [`${FILE}:1 deny b`])
      yield* disk.write(BELOW, denying("c"))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* rulesOf(permissions), [`${FILE}:1 deny b`, `${BELOW}:1 deny c`])
      assert.strictEqual((yield* Stream.runCollect(Stream.take(permissions.changes, 1))).length, 1)
    }))

  it.effect("keeps what denied and asked when a mistake comes into the file, and forgets it with the correction", () =>
    Effect.gen(function*() {
      const before = JSON.stringify({ write: "ask", rules: [{ deny: "a" }, { ask: "b" }, { allow: "c" }] })
      const { disk, permissions } = yield* world({ [FILE]: before })
      yield* disk.write(FILE, "{ \"rules\": [ ")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* rulesOf(permissions), [`${FILE}:1 deny a`, `${FILE}:1 ask b`])
      assert.match(`${yield* faultOf(permissions)}`, /^\/data\/permissions.jsonc:1:14: expected .*every call asks$/)
      yield* disk.write(FILE, "{ \"rules\": [ { \"dney\": \"a\" }, { \"ask\": \"b\" } ] }")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* rulesOf(permissions), [`${FILE}:1 ask b`, `${FILE}:1 deny a`])
      yield* disk.write(FILE, denying("d"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* rulesOf(permissions), [`${FILE}:1 deny d`])
      assert.isNull(yield* faultOf(permissions))
    }))

  it.effect("looks twice before it takes a file for gone", () =>
    Effect.gen(function*() {
      const { disk, permissions } = yield* world({ [FILE]: denying("a") })
      yield* disk.remove(FILE)
      yield* TestClock.adjust("400 millis")
      assert.strictEqual((yield* rulesOf(permissions)).length, 1)
      yield* disk.write(FILE, denying("b"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* rulesOf(permissions), [`${FILE}:1 deny b`])
      yield* disk.remove(FILE)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* rulesOf(permissions), [])
    }))
})
