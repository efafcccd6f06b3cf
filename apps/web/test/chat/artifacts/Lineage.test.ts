import { assert, describe, it } from "@effect/vitest"
import { fencesOf } from "../../../src/chat/artifacts/Fences.ts"
import { lineagesOf } from "../../../src/chat/artifacts/Lineage.ts"

const page = (title: string, body: string) => `\`\`\`html\n<!doctype html>\n<title>${title}</title>\n${body}\n\`\`\`\n`

const turn = (number: number, text: string, isOver = true) => ({
  number,
  isOver,
  blocks: [{ kind: "text", key: number, text } as const]
})

const keys = (...turns: ReadonlyArray<ReturnType<typeof turn>>) =>
  lineagesOf(turns).map((versions) => versions.map(({ key }) => key))

const rows = (name: string, count = 8) => Array.from({ length: count }, (_, at) => `<p>${name} ${at}</p>`).join("\n")

describe("the blocks of code in a text", () => {
  it("are found with their words, also in a list, and one that grows is open", () => {
    assert.deepStrictEqual(fencesOf("a\n```js x.js\n1\n```\n- b\n  ~~~py\n  2\n  ~~~\n````md\n```\n3"), [
      { info: "js x.js", text: "1", isOpen: false },
      { info: "py", text: "2", isOpen: false },
      { info: "md", text: "```\n3", isOpen: true }
    ])
  })
})

describe("the blocks of code in a quote", () => {
  it("are found without its marks, and end with it", () => {
    assert.deepStrictEqual(fencesOf("> ```js\n> 1\n>\n>   2\n> ```\n> > ~~~py\n> > 3\nout\n```sh\n> 4\n```"), [
      { info: "js", text: "1\n\n  2", isOpen: false },
      { info: "py", text: "3", isOpen: false },
      { info: "sh", text: "> 4", isOpen: false }
    ])
  })
})

describe("the versions of an artifact", () => {
  it("have the same title, or half of their lines in common, and are counted through the turns", () => {
    const first = turn(1, page("Clock", rows("first")))
    const renamed = turn(2, page("Watch", `${rows("first", 7)}\n${rows("new", 2)}`))
    assert.deepStrictEqual(keys(first, turn(2, page("Clock", rows("other")))), [["1.0", "2.0"]])
    assert.deepStrictEqual(keys(first, renamed), [["1.0", "2.0"]])
    assert.deepStrictEqual(keys(first, turn(2, page("Map", rows("other")))), [["1.0"], ["2.0"]])
  })

  it("are not those of another file, however alike", () => {
    const code = (name: string) => `\`\`\`ts ${name}\n${rows("same", 30)}\n\`\`\`\n`
    assert.deepStrictEqual(keys(turn(1, code("a.ts") + code("b.ts")), turn(2, code("a.ts"))), [["1.0", "2.0"], ["1.1"]])
  })

  it("grow where they stand, and are whole when the turn is over, finished or not", () => {
    const half = page("Clock", rows("first")).slice(0, 60)
    const running = lineagesOf([turn(1, half, false)])
    const over = lineagesOf([turn(1, half)])
    assert.deepStrictEqual([running[0]?.[0]?.isOpen, over[0]?.[0]?.isOpen], [true, false])
    assert.strictEqual(running[0]?.[0]?.key, over[0]?.[0]?.key)
  })
})
