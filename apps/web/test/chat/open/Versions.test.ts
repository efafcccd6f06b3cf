import { assert, describe, it } from "@effect/vitest"
import { arrange, leadingTo } from "../../../src/chat/open/Versions.ts"

const turns = (...replacedBy: ReadonlyArray<number | null>) =>
  replacedBy.map((by, index) => ({ turn: index + 1, replacedBy: by }))

const seen = (of: ReturnType<typeof turns>, chosen?: ReadonlyMap<number, number>) =>
  arrange(of, chosen).map(({ turn }) => turn)

describe("Versions", () => {
  it("shows every turn of a chat in which nothing was replaced", () => {
    assert.deepStrictEqual(seen(turns(null, null, null)), [1, 2, 3])
  })

  it("shows the edited message in the place of the old one and of what followed it", () => {
    // 2 was edited when 3 was there: 4 stands for both.
    const of = turns(null, 4, 4, null, null)
    assert.deepStrictEqual(seen(of), [1, 4, 5])
    assert.deepStrictEqual(arrange(of).map(({ versions }) => versions), [[1], [2, 4], [5]])
  })

  it("shows an earlier version with what came after it then, and nothing that came later", () => {
    const of = turns(null, 4, 4, null, null)
    const shown = arrange(of, new Map([[4, 2]]))
    assert.deepStrictEqual(shown.map(({ turn }) => turn), [1, 2, 3])
    assert.deepStrictEqual(shown.map(({ isEarlier }) => isEarlier), [false, true, true])
    assert.deepStrictEqual(shown[1]?.versions, [2, 4])
    assert.strictEqual(shown[1]?.newest, 4)
  })

  it("counts every version of a message that was edited more than once", () => {
    const of = turns(2, 3, null)
    assert.deepStrictEqual(arrange(of)[0]?.versions, [1, 2, 3])
    assert.deepStrictEqual(seen(of, new Map([[3, 1]])), [1])
    assert.deepStrictEqual(seen(of, new Map([[3, 2]])), [2])
  })

  it("shows the newest version when the chosen one is not there", () => {
    assert.deepStrictEqual(seen(turns(2, null), new Map([[2, 9]])), [2])
  })

  it("chooses the versions by which a turn is shown, and the newest ones for a turn that none shows", () => {
    const of = turns(null, 4, 4, null, null)
    for (const turn of [1, 2, 3, 4, 5]) assert.include(seen(of, leadingTo(of, turn)), turn)
    assert.deepStrictEqual(seen(of, leadingTo(of, 4)), [1, 4, 5])
    assert.deepStrictEqual(seen(of, leadingTo(of, 9)), [1, 4, 5])
    // 2 was replaced, and then what stood for it was replaced with all before it.
    const deep = turns(4, 3, 4, null)
    assert.deepStrictEqual(seen(deep, leadingTo(deep, 2)), [4])
  })
})
