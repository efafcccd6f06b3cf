import { strToU8, zipSync } from "fflate"
import { afterEach, assert, describe, it, vi } from "vitest"
import { importAll } from "../../src/app/ExportedChats.ts"

/** A server that has the chat `1`, and refuses an odd one. */
const sent = () => {
  const bodies: Array<string> = []
  vi.stubGlobal("fetch", (_: string, { body }: { body?: string } = {}) => {
    if (body === undefined) return Promise.resolve(Response.json({ chats: [{ id: "1" }] }))
    bodies.push(body)
    const { n, odd } = JSON.parse(body)
    return Promise.resolve(
      Response.json(odd === undefined ? { id: `${n}` } : { detail: "nobody says anything in it" }, {
        status: odd === undefined ? 201 : 400
      })
    )
  })
  return bodies
}

const file = (bytes: Uint8Array | string) =>
  new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], "export")

describe("ExportedChats", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it("sends each conversation of a zip on its own, counts those that were there already, and leaves out those that are refused", async () => {
    const bodies = sent()
    const zip = zipSync({
      "a/conversations-000.json": strToU8(`[{"n":1},{"odd":2}]`),
      "shared_conversations.json": strToU8(`[{"n":9}]`),
      "a/conversations-001.json": strToU8(`[{"n":3},{"n":3}]`)
    })
    const done = await importAll(file(zip), true)
    assert.deepStrictEqual(bodies, [`{"n":1}`, `{"odd":2}`, `{"n":3}`, `{"n":3}`])
    assert.deepStrictEqual(done, { imported: 1, present: 2, refused: 1, why: "nobody says anything in it" })
  })

  it("says which file to choose instead of one without conversations, or one that is cut off", async () => {
    const bodies = sent()
    const zip = zipSync({ "conversations.json": strToU8("[]".padEnd(3000)) })
    const files: ReadonlyArray<readonly [Uint8Array | string, boolean]> = [
      [zipSync({ "a.json": strToU8("[]") }), true],
      [zip.subarray(0, 40), true],
      ["[{", false]
    ]
    for (const [bytes, isZip] of files) {
      const error = await importAll(file(bytes), isZip).catch((thrown: unknown) => thrown)
      assert.instanceOf(error, Error)
      assert.match(error.message, /no conversations/)
    }
    assert.deepStrictEqual(bodies, [])
  })
})
