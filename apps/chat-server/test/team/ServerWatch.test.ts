import { assert, describe, it } from "@effect/vitest"
import { eventOf } from "../../src/team/ServerWatch.ts"

const told = (state: "connecting" | "ready" | "failed" | "stopped", restarts = 0, more: object = {}) => ({
  name: "s",
  sharing: "shared" as const,
  restarts,
  state,
  error: null,
  ...more
})

describe("ServerWatch", () => {
  it("notes what happens to a server once: ready, failed with the name of its error, started again, stopped", () => {
    const error = {
      _tag: "CrashLoop",
      message: "m",
      hint: "",
      exitCode: 1,
      signal: null,
      stderr: "secret",
      code: null,
      method: null,
      limitMillis: null
    }
    const looks = [
      told("connecting"),
      told("ready"),
      told("ready"),
      told("failed", 0, { error }),
      told("connecting", 1),
      told("ready", 1),
      told("stopped", 1)
    ]
    const events = looks.map((now, index) => eventOf(looks[index - 1] ?? null, now))
    assert.deepStrictEqual(events.map((event) => event === null ? null : [event.kind, event.reason]), [
      null,
      ["ready", null],
      null,
      ["failed", "CrashLoop"],
      ["restarted", null],
      ["ready", null],
      ["stopped", null]
    ])
  })

  it("notes what happens to a personal server for its owner", () => {
    const personal = { sharing: "personal" }
    const event = { server: "s", owner: "ann", kind: "ready", reason: null } as const
    assert.deepStrictEqual(eventOf(null, told("ready", 0, personal), "ann"), event)
  })

  it("notes nothing of the place of a personal server, nor that one is off when this server starts", () => {
    assert.isNull(eventOf(null, told("ready", 0, { sharing: "personal" })))
    assert.isNull(eventOf(null, told("stopped")))
  })
})
