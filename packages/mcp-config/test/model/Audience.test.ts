import { assert, describe, it } from "@effect/vitest"
import * as Audience from "../../src/model/Audience.ts"

const ann: Audience.Viewer = { name: "ann@example.org", role: "member", groups: ["dev", "ops"] }
const boss: Audience.Viewer = { name: "Boss", role: "admin", groups: [] }

describe("Audience", () => {
  it("admits everyone without words", () => {
    assert.isTrue(Audience.admits(null, ann))
    assert.isTrue(Audience.admits(null, boss))
  })

  it("admits by role, by group and by name, and nobody else", () => {
    const rows: ReadonlyArray<readonly [ReadonlyArray<string>, boolean, boolean]> = [
      [["admins"], false, true],
      [["group:dev"], true, false],
      [["group:Dev"], false, false],
      [["dev"], false, false],
      [["ann@example.org"], true, false],
      [["Ann@Example.org"], true, false],
      [["ann"], false, false],
      [["group:none", "boss", "group:ops"], true, true],
      [[], false, false]
    ]
    for (const [words, admitsAnn, admitsBoss] of rows) {
      assert.deepStrictEqual(
        [Audience.admits(words, ann), Audience.admits(words, boss)],
        [admitsAnn, admitsBoss],
        words.join()
      )
    }
  })

  it("takes nobody for an admin because of a name or a group", () => {
    assert.isFalse(Audience.admits(["admins"], { name: "admins", role: "member", groups: ["admins"] }))
  })

  it("says of words that name nobody what to write", () => {
    const rows: ReadonlyArray<readonly [ReadonlyArray<string>, number | null, RegExp]> = [
      [[], null, /empty list/],
      [["admin"], 0, /did you mean "admins"/],
      [["group:dev", "Administrators"], 1, /did you mean "admins"/],
      [["groups:dev"], 0, /write "group:dev"/],
      [["role:admin"], 0, /write "group:admin"/],
      [["group:"], 0, /names nobody/],
      [[" "], 0, /names nobody/],
      [["*"], 0, /leave the key out for everyone/]
    ]
    for (const [words, index, expected] of rows) {
      const problem = Audience.problem(words) ?? assert.fail(words.join())
      assert.strictEqual(problem.index, index)
      assert.match(`${problem.detail}; ${problem.hint}`, expected)
    }
    assert.isNull(Audience.problem(["admins", "group:a:b", "ann@example.org", "Ann Example"]))
  })
})
