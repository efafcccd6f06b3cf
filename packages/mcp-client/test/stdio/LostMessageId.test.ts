import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as LostMessageId from "../../src/stdio/LostMessageId.ts"
import * as Steps from "../support/Steps.ts"

const read = (text: string, chunkSize = 1) => {
  const reader = LostMessageId.make()
  const bytes = new TextEncoder().encode(text)
  for (let from = 0; from < bytes.length; from += chunkSize) reader.push(bytes.subarray(from, from + chunkSize))
  return reader.result()
}

const answer = (id: string | number | null) => ({ id, isAnswer: true })

/** Keys that mean something and values that look like structure. */
const Key = Schema.Literals(["id", "method", "result", "jsonrpc", "x", "id\"", "i\\d", "{", "é", "ID", ""])
/** Long enough that its end is searched for, and in the end not kept either. */
const LONG = "x".repeat(300)
const Leaf = Schema.NullOr(
  Schema.Literals([
    0,
    7,
    -3,
    true,
    "",
    "id",
    "\"id\":9",
    "{\"id\":9}",
    "}",
    "]",
    "\\",
    "a\\\"",
    "😀,:",
    `${LONG}"id":9`,
    `${LONG}\\`
  ])
)
const Nested = Schema.Union([
  Leaf,
  Schema.Array(Leaf).check(Schema.isMaxLength(3)),
  Schema.Record(Key, Schema.Union([Leaf, Schema.Record(Key, Leaf)]))
])
const Entries = Arbitrary.array(Arbitrary.schema(Schema.Struct({ key: Key, value: Nested })), { maxLength: 6 })
const Size = Schema.Literals([1, 2, 3, 35, 1000])

/** A longer text is no id of ours. */
const isId = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && value.length < LONG.length)

describe("TopLevelId", () => {
  it.prop(
    "finds what a parser of the whole message finds, wherever it stands and however it is cut (Decision 11)",
    [Entries, Size],
    ([entries, size]) => {
      const fields = entries.map(({ key, value }) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      const text = `{${fields.join(",")}}`
      const whole: unknown = JSON.parse(text)
      const isAnswer = !Object.hasOwn(Object(whole), "method")
      const id: unknown = Reflect.get(Object(whole), "id")
      assert.deepStrictEqual(read(text, size), { id: isAnswer && isId(id) ? id : null, isAnswer })
      return true
    },
    { arbitrary: { runs: 300 } }
  )

  it("finds a number or a text, first or last", () => {
    assert.deepStrictEqual(read("{\"id\":12,\"result\":{}}"), answer(12))
    assert.deepStrictEqual(read("{\"result\":{},\"id\":0}"), answer(0))
    assert.deepStrictEqual(read("{\"result\":{},\"id\":-4}"), answer(-4))
    assert.deepStrictEqual(read("{\"id\":\"abc\",\"result\":{}}"), answer("abc"))
    assert.deepStrictEqual(read("{\"id\":\"12\",\"result\":{}}"), answer(12), "as everywhere (JsonRpc.idIn)")
    assert.deepStrictEqual(read("{\"result\":[1,{\"a\":[]}],\"id\":\"€\"}"), answer("€"))
    assert.deepStrictEqual(read(" { \"id\" : 12 , \"result\" : 1 } "), answer(12))
    assert.deepStrictEqual(read("\ufeff{\"id\":12,\"result\":1}"), answer(12))
  })

  it("leaves nested ids alone, in objects, arrays and texts", () => {
    assert.deepStrictEqual(read("{\"result\":{\"id\":1,\"a\":[{\"id\":2}]},\"id\":3}"), answer(3))
    assert.deepStrictEqual(read("{\"result\":{\"id\":1}}"), answer(null))
    assert.deepStrictEqual(read("{\"result\":\"\\\"id\\\":1,{\\\"id\\\":2}\\\\\",\"id\":3}"), answer(3))
    assert.deepStrictEqual(read("[{\"id\":1,\"result\":{}}]"), answer(null))
  })

  it("reads quotes, backslashes and slashes of an id", () => {
    assert.deepStrictEqual(read("{\"id\":\"a\\\"b\\\\c\\/d\",\"result\":1}"), answer("a\"b\\c/d"))
    assert.deepStrictEqual(read("{\"id\":\"\\\\\",\"result\":1}"), answer("\\"))
  })

  it("gives no id rather than a wrong one", () => {
    for (
      const id of [
        "null",
        "true",
        "1.5",
        "1e3",
        "{\"id\":1}",
        "[1]",
        "12345678901234567890",
        "\"a\\nb\"",
        "\"\\u0061\""
      ]
    ) {
      assert.deepStrictEqual(read(`{"id":${id},"result":1}`), answer(null), id)
    }
    assert.deepStrictEqual(read(`{"id":"${"x".repeat(300)}","result":1}`), answer(null))
  })

  it("knows requests and notifications of the server, their method first or last", () => {
    const no = { id: null, isAnswer: false }
    assert.deepStrictEqual(read("{\"method\":\"sampling/createMessage\",\"id\":1,\"params\":{}}"), no)
    assert.deepStrictEqual(read("{\"id\":1,\"params\":{\"x\":1},\"method\":\"m\"}"), no)
    assert.deepStrictEqual(read("{\"method\":\"notifications/message\"}"), no)
    assert.deepStrictEqual(read("{\"id\":1,\"result\":{\"method\":\"m\"}}"), answer(1))
  })

  it("looks at each byte of a long text a few times at most, however it is cut (R37)", () => {
    for (const fill of ["x".repeat(64), "x\"", "\\\"", `${"x".repeat(60)}\\n`]) {
      for (const size of [1, 7, 64 * 1024]) {
        const counted = Steps.count(() => read(`{"result":{"a":"${fill.repeat(5000)}"},"id":5}`, size))
        assert.isBelow(counted.bytes, 3 * 5000 * fill.length + 1000, `${fill} ${size}`)
      }
    }
  })

  it("finds nothing in what is no message", () => {
    for (const text of ["", "log line: \"id\":1", "}}}{{\"id\"", "\"id\":1", "[1,2", "{\"id"]) {
      assert.deepStrictEqual(read(text), answer(null), text)
    }
  })
})
