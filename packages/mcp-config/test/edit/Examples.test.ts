import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Examples from "../../src/edit/ConfigEditor.ts"

describe("Examples", () => {
  it("are the disabled servers that are shipped", () => {
    const file = new URL("../../../../data/mcp.json", import.meta.url)
    const servers: Readonly<Record<string, Record<string, unknown>>> = JSON.parse(readFileSync(file, "utf8")).mcpServers
    const disabled = Object.entries(servers).filter(([, entry]) => entry["enabled"] === false)
    assert.deepStrictEqual(Object.fromEntries(disabled), { ...Examples.shipped })
  })
})
