import { ToolGlob } from "@boocode/tool-glob"
import { assert, it } from "@effect/vitest"

it("does what the example of the README says", () => {
  const glob = ToolGlob.compile(["*", "!web_*", "web_search"])

  assert.isTrue(glob.allows("files_read_file"))
  assert.isFalse(glob.allows("web_fetch"))
  assert.isTrue(glob.allows("web_search"))
})
