import { assert, describe, it } from "@effect/vitest"
import * as ServerRequests from "../../src/host/ServerRequests.ts"

const host = (more: Partial<ServerRequests.ServerHost>): ServerRequests.ServerHost => ({
  asking: { server: "", isTrusted: false },
  elicitation: [],
  sampling: false,
  asker: ServerRequests.nobody,
  roots: null,
  ...more
})

describe("The capabilities of a host", () => {
  it("say in both eras that it shows apps, and nothing of them where it does not", () => {
    const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } }
    for (const era of ["legacy", "modern"] as const) {
      assert.deepStrictEqual(ServerRequests.hostCapabilities(host({ apps: true }), era), { extensions })
      assert.deepStrictEqual(ServerRequests.hostCapabilities(host({}), era), {})
    }
  })
})
