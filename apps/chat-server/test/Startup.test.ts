import { InvalidFile } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import { CannotListen } from "../src/Startup.ts"
import * as Startup from "../src/Startup.ts"
import { status } from "./support/Scripted.ts"

const error = {
  _tag: "CommandNotFound",
  message: "command not found: x",
  hint: "install x",
  exitCode: null,
  signal: null,
  stderr: null,
  code: null,
  method: null,
  limitMillis: null
}

describe("Startup", () => {
  it("says name, state, number of tools and milliseconds in one line", () => {
    const about = { class: "writes", openWorld: false, writer: true } as const
    const rejected = [{ tool: "write", reason: "declares itself not read-only", ...about }]
    assert.strictEqual(
      Startup.line(status("files", { tools: 10, rejected }), 8),
      "  files     ready, 10 tools, 1 rejected, 240 ms"
    )
    assert.strictEqual(
      Startup.line(status("files", { tools: 10, rejected, rejectedMore: 9900 }), 8),
      "  files     ready, 10 tools, 9901 rejected, 240 ms"
    )
    assert.strictEqual(Startup.line(status("files"), 5), "  files  ready, 1 tool, 240 ms")
  })

  it("says why a server failed and what to try", () => {
    const failed = status("files", { state: "failed", error })
    assert.strictEqual(Startup.line(failed, 5), "  files  failed: command not found: x (install x)")
    assert.strictEqual(Startup.line(failed, 5, true), "  files  failed: install x")
    const unset = status("files", { state: "failed", error: { ...error, _tag: "VariableUnset" } })
    assert.strictEqual(Startup.line(unset, 5, true), "  files  failed")
    assert.strictEqual(Startup.line(status("off", { state: "disabled" }), 5), "  off    off")
  })

  it("says nothing of a server that connects, or that a call is waking", () => {
    const unconnected = { protocolVersion: null, connectMillis: null }
    const says = [
      status("first", { ...unconnected, state: "connecting" }),
      status("waking", unconnected),
      status("asleep", { ...unconnected, idle: true }),
      status("ready"),
      status("failed", { ...unconnected, state: "failed", error })
    ].filter((one) => !Startup.isOnItsWay(one)).map(({ name }) => name)
    assert.deepStrictEqual(says, ["asleep", "ready", "failed"])
  })

  it("tells a configuration that cannot be used from one without servers", () => {
    const source = { file: "data/mcp.json", scope: "data", hidden: [] } as const
    assert.strictEqual(Startup.none([{ ...source, state: "read", error: null }]), "No MCP server is configured.")
    const error = new InvalidFile({ file: source.file, line: 3, column: 5, detail: "this is not JSON" })
    assert.strictEqual(
      Startup.none([{ ...source, state: "invalid", error }]),
      "No MCP server: data/mcp.json cannot be used."
    )
  })

  it("names the next free port when one is busy", () => {
    const busy = new Startup.PortBusy({ host: "127.0.0.1", port: 4266, free: 4267 })
    assert.strictEqual(busy.message, "port 4266 of 127.0.0.1 is in use")
    assert.include(busy.hint, "--port 4267")
    assert.include(new CannotListen({ host: "h", port: 80, detail: "EACCES" }).message, "EACCES")
  })
})
