import { Conditions } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import * as GrantSuggestions from "../../src/permissions/GrantSuggestions.ts"

const of = (args: Schema.JsonObject): ReadonlyArray<Conditions.Where | null> =>
  GrantSuggestions.of("t", { args }).map(({ where }) => where)

describe("Suggestions for a longer yes", () => {
  for (
    const [name, args, expected] of [
      ["the folder of a path", { path: "notes/2026/a.md" }, [{ path: "notes/2026/*" }, null]],
      ["the folder of an absolute path", { path: "/home/me/notes/a.md", content: "a/b" }, [
        { path: "/home/me/notes/*" },
        null
      ]],
      ["the folders of all paths", { from: "a/b.md", to: "c/d.md" }, [{ from: "a/*", to: "c/*" }, null]],
      ["the site of an address", { url: "https://example.com/a?b=c" }, [{ url: "https://example.com/*" }, null]],
      ["the site of an address without a path", { url: "http://127.0.0.1:4266" }, [
        { url: "http://127.0.0.1:4266/*" },
        null
      ]],
      ["the site of its first page", { url: "https://example.com/" }, [{ url: "https://example.com/*" }, null]],
      ["what is worked on", { owner: "me", repo: "house", title: "x" }, [{ owner: "me", repo: "house" }, null]],
      ["what is worked on, and where in it", { repo: "house", path: "docs/a.md" }, [
        { repo: "house", path: "docs/*" },
        { path: "docs/*" },
        { repo: "house" },
        null
      ]],
      ["the tool alone for a file of the top folder", { path: "a.md" }, [null]],
      ["the tool alone for a path that climbs", { path: "../a/b.md" }, [null]],
      ["the tool alone for a path with a star", { path: "a/*/b.md" }, [null]],
      ["the tool alone for texts", { content: "one\ntwo / three", text: "and/or it is" }, [null]],
      ["the tool alone without arguments", {}, [null]]
    ] as const
  ) {
    it(`are ${name}`, () => assert.deepStrictEqual(of(args), [...expected]))
  }

  it("cover the call that they are made for, whatever its arguments are", () => {
    for (
      const path of [
        "a/b",
        "a\\b/c",
        "a//b",
        "./a/b",
        "a/../b/c",
        "A/B",
        "~/x/y",
        "c:/x/y",
        "http://h/x",
        "http://h/",
        "http://h",
        "a /b"
      ]
    ) {
      for (const where of of({ path, branch: path })) {
        assert.isNull(Conditions.unmet(where ?? {}, { args: { path, branch: path } }, true), path)
      }
    }
  })
})
