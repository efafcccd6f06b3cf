import { assert, describe, it } from "@effect/vitest"
import type { ChatSummary } from "../../src/api/Types.ts"
import { sectionsOf } from "../../src/app/ChatSections.ts"

const MIDNIGHT = Date.parse("2026-03-02T00:00:00Z")

const chat = (id: string, updatedAt: string, more: Partial<ChatSummary> = {}): ChatSummary => ({
  id,
  title: id,
  titledBy: "person",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: updatedAt,
  updatedAt,
  running: null,
  waiting: 0,
  approvals: 0,
  questions: 0,
  ...more
})

const ALL = [
  chat("today", "2026-03-02T10:00:00Z"),
  chat("work", "2026-03-02T09:00:00Z", { folder: "Work" }),
  chat("pinned", "2026-03-01T09:00:00Z", { pinned: true, folder: "Work" }),
  chat("home", "2026-03-01T08:00:00Z", { folder: "Home" }),
  chat("yesterday", "2026-03-01T07:00:00Z"),
  chat("old work", "2026-02-01T07:00:00Z", { folder: "Work" }),
  chat("old", "2026-01-01T07:00:00Z")
]

const shown = (count: number) =>
  sectionsOf(ALL, MIDNIGHT, count).map(({ chats, heading }) => `${heading}: ${chats.map(({ id }) => id).join(", ")}`)

describe("ChatSections", () => {
  it("puts what is pinned first, then the folders by name, then the rest by age", () => {
    assert.deepStrictEqual(shown(100), [
      "Pinned: pinned",
      "Home: home",
      "Work: work, old work",
      "Today: today",
      "Yesterday: yesterday",
      "Earlier: old"
    ])
  })

  it("shows what is pinned also when only the beginning is shown", () => {
    assert.deepStrictEqual(shown(2), ["Pinned: pinned", "Home: home"])
  })

  it("keeps a folder apart that is named like a section", () => {
    const sections = sectionsOf([chat("a", "2026-03-02T10:00:00Z", { folder: "Today" }), ...ALL], MIDNIGHT, 100)
    assert.deepStrictEqual(sections.filter(({ heading }) => heading === "Today").map(({ isFolder }) => isFolder), [
      true,
      false
    ])
  })
})
