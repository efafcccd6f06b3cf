import { assert, describe, it } from "@effect/vitest"
import * as AppDocuments from "../../src/apps/AppDocuments.ts"
import * as AppPolicy from "../../src/apps/AppPolicy.ts"

const HOST = "http://127.0.0.1:4266"
const APPS = "http://127.0.0.1:5000"
const policy = AppPolicy.of({}, [])

describe("The documents of apps", () => {
  it("are there for those who have their address, framed by the page that asked and nobody else", () => {
    const documents = AppDocuments.make()
    const [one, other] = [APPS, null].map((sandbox) => documents.add({ html: "<p>", policy, host: HOST, sandbox }))
    assert.match(one ?? "", /^[\w-]{32}$/)
    assert.notStrictEqual(one, other)
    assert.include(documents.document(one ?? "")?.policy ?? "", `frame-ancestors ${APPS} ${HOST};`)
    assert.include(documents.document(other ?? "")?.policy ?? "", `frame-ancestors ${HOST};`)
    const around = documents.sandbox(one ?? "", APPS)
    assert.include(around?.policy ?? "", `frame-src ${APPS}/${one}/document;`)
    assert.include(around?.policy ?? "", `frame-ancestors ${HOST}`)
    assert.isNull(documents.sandbox(other ?? "", APPS))
    assert.isNull(documents.document("unknown"))
  })

  it("go, the oldest first, where they are too many or too large", () => {
    const documents = AppDocuments.make()
    const add = (html: string) => documents.add({ html, policy, host: HOST, sandbox: null })
    const ids = Array.from({ length: 201 }, () => add("<p>"))
    assert.deepStrictEqual([ids[0], ids[1], ids[200]].map((id) => documents.document(id ?? "") !== null), [
      false,
      true,
      true
    ])
    const large = Array.from({ length: 8 }, () => add("x".repeat(5_000_000)))
    assert.deepStrictEqual(large.map((id) => documents.document(id) !== null), [false, false, ...Array(6).fill(true)])
  })
})
