import { assert, describe, it } from "@effect/vitest"
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import { ConnectionLost, type McpErrorReason, MessageTooLarge } from "../src/McpError.ts"
import * as SdkErrors from "../src/sdk/SdkErrors.ts"

const CANARY = "canary-4711"

const occasion = (isAuthorized = false): SdkErrors.Occasion => ({
  method: "tools/call",
  isAuthorized,
  scrub: (text) => text.replaceAll(CANARY, "<redacted>")
})

const http = (status: number, message = `HTTP ${status}`) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, message, { status })

/** A reason without its cause, which is whatever was thrown. */
const fields = (reason: McpErrorReason): Record<string, unknown> => {
  const { cause: _, ...rest }: Record<string, unknown> = { ...reason }
  return { ...rest, _tag: reason._tag }
}

const toReason = (error: unknown, isAuthorized = false) => fields(SdkErrors.toReason(error, occasion(isAuthorized)))
const handshake = (error: unknown) => fields(SdkErrors.handshakeReason(error, { ...occasion(), method: "initialize" }))

describe("SdkErrors.toReason", () => {
  it("takes 401 and 403 for missing credentials, or for rejected ones where some are configured (R81)", () => {
    for (const code of [401, 403]) {
      assert.deepStrictEqual(toReason(http(code)), { _tag: "AuthRequired", code })
      assert.deepStrictEqual(toReason(http(code), true), { _tag: "AuthRejected", code })
    }
    assert.deepStrictEqual(toReason(new UnauthorizedError("x")), { _tag: "AuthRequired", code: 401 })
    assert.deepStrictEqual(toReason(new UnauthorizedError("x"), true), { _tag: "AuthRejected", code: 401 })
  })

  it("tells any other HTTP status with the method and a bounded detail", () => {
    assert.deepStrictEqual(toReason(http(502, "Bad Gateway")), {
      _tag: "HttpStatus",
      method: "tools/call",
      code: 502,
      detail: "Bad Gateway"
    })
    assert.lengthOf(String(toReason(http(500, "x".repeat(10_000)))["detail"]), 300)
  })

  it("takes a JSON-RPC error for a refused request, with its code and words (R33)", () => {
    assert.deepStrictEqual(toReason(new ProtocolError(-32602, "no such tool")), {
      _tag: "RequestFailed",
      method: "tools/call",
      code: -32602,
      detail: "no such tool"
    })
  })

  it("finds its own reasons again in answers given in the server's place (Decision 11)", () => {
    for (const own of [new MessageTooLarge({ bytes: 9, limitBytes: 5 }), new ConnectionLost({ detail: "ended" })]) {
      assert.strictEqual(SdkErrors.toReason(new ProtocolError(-32000, own.message, own), occasion()), own)
    }
  })

  it("does not take a server's look-alike for its own reason", () => {
    const forged = new ProtocolError(-32000, "no", { _tag: "MessageTooLarge", bytes: 1, limitBytes: 1 })
    assert.strictEqual(toReason(forged)["_tag"], "RequestFailed")
  })

  it("takes everything else for a lost connection, with the words of the innermost cause", () => {
    const refused = Object.assign(new Error("connect failed"), { code: "ECONNREFUSED" })
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed"), "Connection closed"],
      [new TypeError("fetch failed", { cause: refused }), "fetch failed: ECONNREFUSED"],
      [new Error("a", { cause: new Error("b", { cause: new Error("c") }) }), "a: b: c"],
      [new Error("a", { cause: "why" }), "a: why"],
      [new Error("a", { cause: null }), "a"],
      ["text", "text"],
      [undefined, "undefined"]
    ]
    for (const [error, detail] of cases) {
      const unsent = detail.includes("ECONNREFUSED")
      assert.deepStrictEqual(toReason(error), { _tag: "ConnectionLost", detail, unsent })
    }
  })

  it("ends with causes that go round in a circle", () => {
    const outer = new Error("outer")
    outer.cause = new Error("inner", { cause: outer })
    assert.strictEqual(toReason(outer)["_tag"], "ConnectionLost")
  })

  it("lets no configured secret into any reason (Decision 15, R75)", () => {
    const errors = [
      http(500, `bad ${CANARY}`),
      // The cut must not come before the secret is hidden, or half of it is left.
      http(500, `${"x".repeat(295)}${CANARY}`),
      new ProtocolError(-32603, `bad ${CANARY}`),
      new TypeError("fetch failed", { cause: new Error(`no ${CANARY}`) }),
      new SdkError(SdkErrorCode.EraNegotiationFailed, CANARY)
    ]
    for (const error of errors) {
      for (const reason of [toReason(error), handshake(error)]) assert.notInclude(JSON.stringify(reason), "canar")
    }
  })
})

describe("SdkErrors.handshakeReason", () => {
  it("names both sides when they have no revision in common (R90)", () => {
    const error = new Error("Server's protocol version is not supported: 1999-01-01")
    assert.deepStrictEqual(handshake(error), {
      _tag: "ProtocolMismatch",
      offered: SUPPORTED_PROTOCOL_VERSIONS,
      supported: ["1999-01-01"]
    })
  })

  it("takes a JSON-RPC error for a failed handshake, with its code", () => {
    assert.deepStrictEqual(handshake(new ProtocolError(-32603, "no database")), {
      _tag: "HandshakeFailed",
      method: "initialize",
      detail: "no database",
      code: -32603,
      stderr: ""
    })
  })

  it("takes an answer that is not one, or no era in common, for a failed handshake", () => {
    for (const code of [SdkErrorCode.InvalidResult, SdkErrorCode.EraNegotiationFailed]) {
      const found = handshake(new SdkError(code, "it makes no sense"))
      assert.strictEqual(found["_tag"], "HandshakeFailed")
      assert.include(String(found["detail"]), "it makes no sense")
    }
  })

  it("leaves what says more as it is", () => {
    assert.strictEqual(handshake(http(401))["_tag"], "AuthRequired")
    assert.strictEqual(handshake(http(404))["_tag"], "HttpStatus")
    assert.strictEqual(handshake(new TypeError("fetch failed"))["_tag"], "ConnectionLost")
  })
})
