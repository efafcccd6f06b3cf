import { assert, describe, it } from "@effect/vitest"
import { changeable, usesOf } from "../../src/agents/NameUses.ts"
import type { Agent, ChatSummary, ListedRule } from "../../src/api/Types.ts"

const agent = (name: string, tools: ReadonlyArray<string> | null, editable = true): Agent =>
  ({ name, tools, ask: [], editable }) as never
const chat = (id: string, of: { agent?: string; servers?: ReadonlyArray<string>; tools?: ReadonlyArray<string> }) =>
  ({ id, agent: of.agent ?? null, off: { servers: of.servers ?? [], tools: of.tools ?? [] } }) as never as ChatSummary
const rule = (source: string, of: Partial<ListedRule>): ListedRule =>
  ({ source, patterns: ["*"], server: null, agent: null, ...of }) as never

const known = {
  agents: [agent("all", null), agent("reader", ["*", "!notes_write*"]), agent("fixed", ["notes_*"], false)],
  chats: [chat("1", { servers: ["notes"] }), chat("2", { tools: ["notes_x"] }), chat("3", { agent: "reader" })],
  rules: [
    rule("/d/permissions.jsonc:2", { patterns: ["notes_*"] }),
    rule("/d/permissions.jsonc:3", { patterns: ["notes_old_*"] }),
    rule("/d/permissions.jsonc:4", { server: ["notes"] }),
    rule("/d/permissions.jsonc:5", { agent: ["reader"] }),
    rule("/d/mcp.json:5", { server: ["notes"] })
  ],
  servers: ["notes", "notes_old"]
}

describe("NameUses", () => {
  it("finds what names a server, but not what names another that begins like it", () => {
    const uses = usesOf({ of: "server", before: "notes", after: "n" }, known)
    assert.deepStrictEqual(uses.agents.map(({ name }) => name), ["reader", "fixed"])
    assert.deepStrictEqual(uses.chats.map(({ id }) => id), ["1", "2"])
    assert.deepStrictEqual(uses.rules.map(({ source }) => source.at(-1)), ["2", "4"])
    assert.strictEqual(changeable(uses), 3)
  })

  it("finds the chats and rules of an agent", () => {
    const uses = usesOf({ of: "agent", before: "reader", after: "r" }, known)
    assert.deepStrictEqual(uses.chats.map(({ id }) => id), ["3"])
    assert.deepStrictEqual(uses.rules.map(({ source }) => source.at(-1)), ["5"])
  })
})
