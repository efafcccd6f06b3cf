import { assert, describe, it } from "@effect/vitest"
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
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

/** As the SDK tells a refusal with this body. */
const refused = (status: number, text: string) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, { status, text })

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

  it("adds what the server says about credentials, when it says more than the status (R33)", () => {
    const words = { error: "invalid_token", error_description: "The token has expired" }
    assert.strictEqual(toReason(refused(401, JSON.stringify(words)), true)["detail"], "The token has expired")
    for (const none of ["", "Unauthorized", "401 Unauthorized", "{\"error\":\"Forbidden\"}"]) {
      assert.deepStrictEqual(toReason(refused(403, none)), { _tag: "AuthRequired", code: 403 })
    }
  })

  it("gives the words of a refusal without the JSON or the HTML around them (R33, R40)", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      [
        `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Server not initialized"}}`,
        "Server not initialized (-32000)"
      ],
      [`{"error":{"message":"no such path","code":7}}`, "no such path"],
      [`{"message":"slow down"}`, "slow down"],
      [`{"error":"rate_limit","error_description":"slow  down"}`, "slow down"],
      [`{"nothing":"known"}`, `{"nothing":"known"}`],
      ["<html>\n<head><title>502 Bad Gateway</title></head>\n<body><hr>nginx</body></html>", "502 Bad Gateway"],
      ["<!doctype html><style>a{b:c}</style><p>Not\n<b>here</b>", "Not here"],
      ["  plain\n\twords ", "plain words"],
      ["", ""]
    ]
    for (const [body, detail] of cases) assert.strictEqual(toReason(refused(502, body))["detail"], detail)
  })

  it("says where a redirect leads that is not followed (R76)", () => {
    const words =
      "Redirect to https://other.example/mcp not followed; use that URL as the endpoint if it is the intended server"
    const error = http(307, `Error POSTing to endpoint: ${words} (redirectPolicy: 'same-origin')`)
    assert.strictEqual(toReason(error)["detail"], "Redirect to https://other.example/mcp not followed")
    const plain = "Redirect from https to plain http not followed; try https://mcp.example/v2 as the endpoint"
    const downgrade = http(301, `Error POSTing to endpoint: ${plain} (redirectPolicy: 'same-origin')`)
    assert.strictEqual(toReason(downgrade)["detail"], plain)
  })

  it("takes a status for what it is in the transport of 2024-11-05 too, which tells it in words alone", () => {
    const posted = new Error(`Error POSTing to endpoint (HTTP 400): {"message":"bad day"}`)
    assert.deepStrictEqual(toReason(posted), {
      _tag: "HttpStatus",
      method: "tools/call",
      code: 400,
      detail: "bad day"
    })
    assert.strictEqual(toReason(new SseError(404, "Non-200 status code (404)", new Event("error")))["code"], 404)
    assert.strictEqual(
      toReason(new SseError(401, "Non-200 status code (401)", new Event("error")))["_tag"],
      "AuthRequired"
    )
  })

  it("says what stood in the way of a connection, and that nobody was reached (R40, Decision 8)", () => {
    const cases: ReadonlyArray<readonly [object, string]> = [
      [
        { code: "ECONNREFUSED", address: "127.0.0.1", port: 9 },
        "nobody listens there: 127.0.0.1 port 9 (ECONNREFUSED)"
      ],
      [{ code: "ENOTFOUND", hostname: "nowhere.invalid" }, "there is no such host: nowhere.invalid (ENOTFOUND)"],
      [{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "its TLS certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)"],
      [{ code: "CERT_HAS_EXPIRED" }, "its TLS certificate has expired (CERT_HAS_EXPIRED)"],
      [{ code: "ERR_SSL_WRONG_VERSION_NUMBER" }, "it does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER)"]
    ]
    for (const [more, detail] of cases) {
      const cause = Object.assign(new Error("x"), more)
      for (const thrown of [cause, new AggregateError([cause])]) {
        const found = SdkErrors.toReason(new TypeError("fetch failed", { cause: thrown }), occasion())
        assert.strictEqual(found.message, `could not connect: ${detail}`)
        assert.notInclude(found.hint, "restart the server")
        assert.isTrue(fields(found)["unsent"])
      }
    }
    // All that the SDK's stream of events keeps of it.
    const stream = toReason(
      new SseError(undefined, "TypeError: fetch failed: connect ECONNREFUSED", new Event("error"))
    )
    assert.strictEqual(stream["detail"], "nobody listens there (ECONNREFUSED)")
  })

  it("does not say that nobody was reached where somebody may have been (Decision 8)", () => {
    for (const code of ["ECONNRESET", "UND_ERR_SOCKET", "EHOSTUNREACH", "EWHATEVER"]) {
      const found = toReason(new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) }))
      assert.deepStrictEqual([found["_tag"], found["unsent"]], ["ConnectionLost", false])
      assert.include(String(found["detail"]), code)
    }
  })

  it("says that an answer could not be used, and why, in a few words", () => {
    const zod = Object.assign(new Error(`[{"code":"invalid_union","errors":[]}]`), { name: "ZodError" })
    for (
      const [error, why] of [[new SyntaxError("Unexpected end"), "no JSON"], [zod, "no JSON-RPC message"]] as const
    ) {
      const { message } = SdkErrors.toReason(error, occasion())
      assert.match(message, new RegExp(`^its answer could not be used: it is ${why}`))
      assert.isBelow(message.length, 100)
    }
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
    const unknown = Object.assign(new Error("connect failed"), { code: "EUNKNOWN" })
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed"), "Connection closed"],
      [new TypeError("fetch failed", { cause: unknown }), "fetch failed: EUNKNOWN"],
      [new Error("a", { cause: new Error("b", { cause: new Error("c") }) }), "a: b: c"],
      [new Error("a", { cause: "why" }), "a: why"],
      [new Error("a", { cause: null }), "a"],
      ["text", "text"],
      [undefined, "undefined"]
    ]
    for (const [error, detail] of cases) {
      assert.deepStrictEqual(toReason(error), { _tag: "ConnectionLost", detail, unsent: false })
    }
    for (const error of [new SdkError(SdkErrorCode.NotConnected, "gone"), new Error("Not connected")]) {
      assert.isTrue(toReason(error)["unsent"])
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
      offered: ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS],
      supported: ["1999-01-01"]
    })
  })

  it("names both sides when the server refuses with what it speaks, whatever the status (R90)", () => {
    const body = (code: number, supported: ReadonlyArray<string>) => ({ code, message: "no", data: { supported } })
    const later = new ProtocolError(-32022, "no", { supported: ["2027-01-01"], requested: "2025-11-25" })
    const found = handshake(later)
    assert.deepStrictEqual([found["_tag"], found["supported"]], ["ProtocolMismatch", ["2027-01-01"]])
    const older = handshake(new ProtocolError(-32602, "Unsupported protocol version", { supported: ["2026-07-28"] }))
    // It was not offered, or there would be no mismatch.
    assert.deepStrictEqual(older["offered"], SUPPORTED_PROTOCOL_VERSIONS)
    const refusal = refused(400, JSON.stringify({ jsonrpc: "2.0", id: 1, error: body(-32022, ["2027-01-01"]) }))
    assert.strictEqual(handshake(refusal)["_tag"], "ProtocolMismatch")
    assert.strictEqual(handshake(new ProtocolError(-32602, "no", { supported: "all" }))["_tag"], "HandshakeFailed")
  })

  it("names the fields that an answer lacks, not the decoder's whole complaint", () => {
    const issues = [{ path: ["protocolVersion"], message: "x" }, { path: ["serverInfo", "name"], message: "y" }]
    const words = `Invalid result for initialize: ${JSON.stringify(issues, null, 2)}`
    assert.strictEqual(
      handshake(new SdkError(SdkErrorCode.InvalidResult, words))["detail"],
      "its answer lacks what the protocol asks for, or has it wrong: protocolVersion, serverInfo.name"
    )
  })

  it("takes an answer that is no JSON or no message for a failed handshake", () => {
    const found = SdkErrors.handshakeReason(new SyntaxError("Unexpected end"), { ...occasion(), method: "initialize" })
    assert.strictEqual(found.message, "initialize failed: its answer is no JSON (Unexpected end)")
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
