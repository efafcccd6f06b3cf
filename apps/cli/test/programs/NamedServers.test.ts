import { assert, describe, it } from "@effect/vitest"
import { namedServers } from "../../src/programs/NamedServers.ts"

const SERVERS = new Map([["files", "files"], ["my-db", "my_db"], ["if", null], ["mail", "mail"]])

const named = (source: string) => namedServers(source, SERVERS)

describe("The servers that a program names", () => {
  it("are those whose functions it writes, by server and tool or by the name of the tool", () => {
    assert.deepStrictEqual(named("await files.read({ path })"), ["files"])
    assert.deepStrictEqual(named("await my_db[\"run query\"]({})"), ["my-db"])
    assert.deepStrictEqual(named("await tools[\"if_then\"]({}); await tools.mail_send({ to })"), ["if", "mail"])
    assert.deepStrictEqual(named("return await files\n  .read({ path })"), ["files"])
  })

  it("are none where it calls none, also where a name is only a part of another", () => {
    assert.deepStrictEqual(named("return 1 + 1"), [])
    assert.deepStrictEqual(named("const a = my.files.length + profiles.length; return mailbox"), [])
  })

  it("may be any where it chooses a function as it runs", () => {
    for (const source of ["await tools[name]({})", "Object.keys(tools)", "const { files_read } = tools"]) {
      assert.isNull(named(source), source)
    }
  })
})
