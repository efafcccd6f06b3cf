import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"

describe("Toasts", () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal("location", { hash: "" })
    vi.stubGlobal("addEventListener", () => {})
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it("say the same words once at a time, and again for as long when they are said again", async () => {
    const { tell, toasts } = await import("../../src/state/Toasts.ts")
    tell({ text: "Imported 4 chats." })
    vi.advanceTimersByTime(4000)
    tell({ text: "Imported 4 chats." })
    assert.lengthOf(toasts.value, 1)
    vi.advanceTimersByTime(4000)
    assert.lengthOf(toasts.value, 1)
    vi.advanceTimersByTime(1000)
    assert.lengthOf(toasts.value, 0)
  })
})
