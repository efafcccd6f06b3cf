import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as McpError from "../../../mcp-client/src/errors/McpError.ts"
import * as RestartPolicy from "../../src/state/RestartPolicy.ts"

const MIDDLE = 0.5
const millis = (failures: number, random: number) => Duration.toMillis(RestartPolicy.delay(failures, random))

describe("RestartPolicy.delay", () => {
  it("doubles from half a second, and is a minute after five failures in a row (Decision 7, R20)", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => millis(failures, MIDDLE))
    assert.deepStrictEqual(delays, [500, 1000, 2000, 4000, 8000, 60_000, 60_000, 60_000])
  })

  it("spreads by a quarter to both sides", () => {
    assert.strictEqual(millis(2, 0), 750)
    assert.strictEqual(millis(2, 0.999_999), 1250)
    assert.strictEqual(millis(9, 0), 45_000)
  })

  it.prop(
    "never waits less than 375 ms nor more than 75 s, for ever (Decision 7, R21)",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
      Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999 }))
    ],
    ([failures, random]) => millis(failures, random) >= 375 && millis(failures, random) <= 75_000
  )

  it("spawns a server that ends at once at most seven times in its first minute (R20)", () => {
    let spawns = 1
    let now = 0
    while (now + millis(spawns, 0) < 60_000) now += millis(spawns++, 0)
    assert.isAtMost(spawns, 7)
  })
})

describe("RestartPolicy.isPermanent", () => {
  const words = { detail: "d", try: "t" }
  const stderr = ""

  it("holds for what only a person can change (Decision 7)", () => {
    const permanent: ReadonlyArray<McpError.McpErrorReason> = [
      new McpError.InvalidEntry(words),
      new McpError.VariableUnset(words),
      new McpError.CommandNotFound({ command: "x", searched: [] }),
      new McpError.NotApproved({ server: "s", file: "f" }),
      new McpError.AuthRequired({ code: 401 }),
      new McpError.AuthRejected({ code: 401 }),
      new McpError.ProtocolMismatch({ offered: [], supported: [] })
    ]
    for (const reason of permanent) assert.isTrue(RestartPolicy.isPermanent(reason), reason._tag)
  })

  it("does not hold for what may pass (Decision 7, R19)", () => {
    const passing: ReadonlyArray<McpError.McpErrorReason> = [
      new McpError.SpawnFailed({ command: "x", detail: "EAGAIN" }),
      new McpError.Exited({ during: "initialize", exitCode: 1, signal: null, stderr }),
      new McpError.HandshakeTimeout({ method: "initialize", limitMillis: 1, stderr, said: [] }),
      new McpError.HandshakeFailed({ method: "initialize", detail: "d", code: null, stderr }),
      new McpError.ListFailed({ method: "tools/list", detail: "d", code: null, limitMillis: null, stderr }),
      new McpError.HttpStatus({ method: "initialize", code: 503, detail: "" }),
      new McpError.ConnectionLost({ detail: "d" }),
      new McpError.CrashLoop({ restarts: 5, exitCode: 1, stderr })
    ]
    for (const reason of passing) assert.isFalse(RestartPolicy.isPermanent(reason), reason._tag)
  })
})
