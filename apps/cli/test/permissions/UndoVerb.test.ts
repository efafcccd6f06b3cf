import type { JournaledWrite } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { boocode, json, type Script, status } from "../support/Scripted.ts"

const write = (id: string, changes: Partial<JournaledWrite> = {}): JournaledWrite => ({
  id,
  turn: 1,
  call: `call_${id}`,
  name: "write_file",
  server: null,
  class: "writes",
  args: { path: `notes/${id}.md`, content: "text" },
  outcome: "done",
  allowedBy: "person",
  source: "a person's yes",
  undo: { possible: true, undoneAt: null, why: null },
  ...changes
})

const OF_SERVER = write("srv_1", { name: "files_write", server: "files", allowedBy: "rule" })
const LOST = write("abcd_2", { name: "delete", undo: { possible: false, undoneAt: null, why: "it is too large" } })

const WRITES = [OF_SERVER, LOST, write("abcd_1")]

const SCRIPT: Script = { writes: WRITES, servers: [status("files"), status("web")] }

const done = (log: ReadonlyArray<string>) => log.filter((line) => /^(undo|settled)/.test(line))

describe("undo", () => {
  it.effect("shows what the tools of the last chat wrote, the newest first, and whether it can be undone", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* boocode(["undo"], SCRIPT)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(stdout.split("\n"), [
        "c  Rain in May",
        "  srv_1  files_write  notes/srv_1.md",
        "      done, allowed by a rule; can be undone",
        "  abcd_2  delete  notes/abcd_2.md",
        "      done, allowed by you; cannot be undone: it is too large",
        "  abcd_1  write_file  notes/abcd_1.md",
        "      done, allowed by you; can be undone",
        ""
      ])
      const document = yield* boocode(["undo", "--json"], SCRIPT)
      assert.deepStrictEqual(json(document.stdout), { chat: "c", writes: json(JSON.stringify(WRITES)) })
    }))

  it.effect("undoes a write by its id, that of its call, or the beginning of one, and starts no server for it", () =>
    Effect.gen(function*() {
      for (const typed of ["abcd_1", "call_abcd_1"]) {
        const { code, log, stdout } = yield* boocode(["undo", typed], SCRIPT)
        assert.deepStrictEqual([code, stdout, done(log)], [0, "notes/a.md is as it was before\n", ["undo abcd_1 of c"]])
      }
      const begun = yield* boocode(["undo", "call_srv", "--json"], SCRIPT)
      assert.deepStrictEqual(json(begun.stdout), { undone: true, text: "notes/a.md is as it was before" })
    }))

  it.effect("starts the server whose tool wrote, and waits for it", () =>
    Effect.gen(function*() {
      const { log } = yield* boocode(["undo", "srv_1"], SCRIPT)
      assert.deepStrictEqual(done(log), ["settled files", "undo srv_1 of c"])
    }))

  it.effect("undoes nothing that could be one of several, and nothing that nobody knows", () =>
    Effect.gen(function*() {
      const several = yield* boocode(["undo", "abcd"], SCRIPT)
      assert.deepStrictEqual([several.code, done(several.log)], [1, []])
      assert.include(several.stderr, "2 writes begin with abcd")
      assert.include(several.stderr, "abcd_2, abcd_1")
      for (const typed of ["nope", "abc"]) {
        const { code, log, stderr } = yield* boocode(["undo", typed], SCRIPT)
        assert.deepStrictEqual([code, done(log)], [1, []])
        assert.include(stderr, `no write begins with ${typed}`)
      }
    }))

  it.effect("is done by the running server where there is one", () =>
    Effect.gen(function*() {
      const { code, log, stdout } = yield* boocode(
        ["undo", "abcd_1", "--chat", "0f0f0f0f-0000-4000-8000-000000000000"],
        {
          running: "http://127.0.0.1:4266",
          answer: (asked) =>
            Effect.sync(() =>
              asked.startsWith("POST")
                ? Response.json({ undone: true, text: "brought back" })
                : Response.json({ writes: WRITES.map(({ turn, ...one }) => ({ ...one, turn })) })
            )
        }
      )
      assert.deepStrictEqual([code, stdout], [0, "brought back\n"])
      assert.deepStrictEqual(log, [
        "http://127.0.0.1:4266 GET /api/chats/0f0f0f0f-0000-4000-8000-000000000000/writes",
        "http://127.0.0.1:4266 POST /api/chats/0f0f0f0f-0000-4000-8000-000000000000/writes/abcd_1/undo"
      ])
    }))
})
