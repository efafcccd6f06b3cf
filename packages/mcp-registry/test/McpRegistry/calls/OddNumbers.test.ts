import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as McpError from "../../../../mcp-client/src/errors/McpError.ts"
import * as Refusal from "../../../../mcp-client/src/rpc/Refusal.ts"
import * as Resources from "../../../src/offerings/Resources.ts"
import { McpResource, StatusError } from "../../../src/Schemas.ts"

/** What JSON may say, with the code that is told of it and the size. */
const NUMBERS = [
  ["-32601", -32601, -32601],
  ["1.5", 1, 1.5],
  ["9007199254740991", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ["9007199254740993", -32603, 9007199254740992],
  ["1e300", -32603, 1e300],
  ["-1e300", -32603, -1e300],
  ["1e400", -32603, null],
  ["-1e400", -32603, null],
  ["\"7\"", -32603, null],
  ["null", -32603, null]
] as const

const same = (text: string) => text

describe.each(NUMBERS)("The number %s of a server", (text, code, size) => {
  it("is a code that a status can carry, at a request and at the handshake", () => {
    const refusal = { code: JSON.parse(text), message: "no" }
    for (
      const reason of [Refusal.toReason("tools/list", refusal, same), Refusal.ofHandshake("initialize", refusal, same)]
    ) {
      const status = McpError.toStatusError(reason)
      assert.strictEqual(status.code, code)
      assert.deepStrictEqual(Schema.encodeSync(StatusError)(status), status)
    }
  })

  it("is a size that a list of resources can carry", () => {
    const items = [{ uri: "memo://a", size: JSON.parse(text) }]
    const [resource] = Resources.ofListing("notes", { items, diagnostics: [], ttlMillis: null }).items
    assert.strictEqual(resource?.size, size)
    assert.isTrue(Schema.is(McpResource)(resource))
  })
})
