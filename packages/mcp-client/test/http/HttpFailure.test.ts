import { assert, describe, it } from "@effect/vitest"
import * as Revision from "../../src/contract/Revision.ts"
import { AuthRequired, ConnectionLost, type McpErrorReason, MessageTooLarge } from "../../src/errors/McpError.ts"
import * as HttpFailure from "../../src/http/HttpFailure.ts"

const CANARY = "canary-4711"

const occasion = (isAuthorized = false): HttpFailure.Occasion => ({
  method: "tools/call",
  isAuthorized,
  scrub: (text) => text.replaceAll(CANARY, "<redacted>")
})

/** A refusal with this body. */
const refused = (status: number, text = "", redirect: string | null = null) =>
  ({ _tag: "Refused", status, text, redirect }) as const

const thrown = (error: unknown) => ({ _tag: "Thrown", error }) as const

/** A reason without its cause, which is whatever was thrown. */
const fields = (reason: McpErrorReason): Record<string, unknown> => {
  const { cause: _, ...rest }: Record<string, unknown> = { ...reason }
  return { ...rest, _tag: reason._tag }
}

const toReason = (failure: HttpFailure.HttpFailure, isAuthorized = false) =>
  fields(HttpFailure.toReason(failure, occasion(isAuthorized)))
const handshake = (failure: HttpFailure.HttpFailure) =>
  fields(HttpFailure.handshakeReason(failure, { ...occasion(), method: "initialize" }))

describe("HttpFailure.toReason", () => {
  it("takes 401 and 403 for missing credentials, or for rejected ones where some are configured (R81)", () => {
    for (const code of [401, 403]) {
      assert.deepStrictEqual(toReason(refused(code)), { _tag: "AuthRequired", code })
      assert.deepStrictEqual(toReason(refused(code), true), { _tag: "AuthRejected", code })
    }
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
      for (const error of [cause, new AggregateError([cause])]) {
        const found = HttpFailure.toReason(thrown(new TypeError("fetch failed", { cause: error })), occasion())
        assert.strictEqual(found.message, `could not connect: ${detail}`)
        assert.notInclude(found.hint, "restart the server")
        assert.isTrue(fields(found)["unsent"])
      }
    }
  })

  it("does not say that nobody was reached where somebody may have been (Decision 8)", () => {
    for (const code of ["ECONNRESET", "UND_ERR_SOCKET", "EHOSTUNREACH", "EWHATEVER"]) {
      const found = toReason(thrown(new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) })))
      assert.deepStrictEqual([found["_tag"], found["unsent"]], ["ConnectionLost", false])
      assert.include(String(found["detail"]), code)
    }
  })

  it("says where a redirect leads that is not followed, and nothing of its body (R76)", () => {
    const words = "Redirect to https://other.example/mcp not followed"
    assert.strictEqual(toReason(refused(307, "<h1>moved</h1>", words))["detail"], words)
  })

  it("says that an answer could not be used, and why, in a few words", () => {
    const { message } = HttpFailure.toReason({ _tag: "Unusable", what: "no JSON-RPC message" }, occasion())
    assert.strictEqual(message, "its answer could not be used: it is no JSON-RPC message")
    const other = toReason({ _tag: "OtherContent", type: "text/html" })
    assert.deepStrictEqual([other["_tag"], other["detail"]], ["ConnectionLost", "Unexpected content type: text/html"])
  })

  it("tells any other HTTP status with the method and a bounded detail", () => {
    assert.deepStrictEqual(toReason(refused(502, "Bad Gateway")), {
      _tag: "HttpStatus",
      method: "tools/call",
      code: 502,
      detail: "Bad Gateway"
    })
    assert.lengthOf(String(toReason(refused(500, "x".repeat(10_000)))["detail"]), 300)
  })

  it("leaves its own reasons as they are, and takes no look-alike for one (Decision 11)", () => {
    const own = [new MessageTooLarge({ bytes: 9, limitBytes: 5 }), new AuthRequired({ code: 401, login: "web" })]
    for (const reason of own) {
      assert.strictEqual(HttpFailure.toReason({ _tag: "Known", reason }, occasion()), reason)
    }
    assert.strictEqual(toReason(thrown({ _tag: "MessageTooLarge", bytes: 1, limitBytes: 1 }))["_tag"], "ConnectionLost")
  })

  it("takes everything else for a lost connection, with the words of the innermost cause", () => {
    const unknown = Object.assign(new Error("connect failed"), { code: "EUNKNOWN" })
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [new TypeError("fetch failed", { cause: unknown }), "fetch failed: EUNKNOWN"],
      [new Error("a", { cause: new Error("b", { cause: new Error("c") }) }), "a: b: c"],
      [new Error("a", { cause: "why" }), "a: why"],
      [new Error("a", { cause: null }), "a"],
      ["text", "text"],
      [undefined, "undefined"]
    ]
    for (const [error, detail] of cases) {
      assert.deepStrictEqual(toReason(thrown(error)), { _tag: "ConnectionLost", detail, unsent: false })
    }
  })

  it("ends with causes that go round in a circle", () => {
    const outer = new Error("outer")
    outer.cause = new Error("inner", { cause: outer })
    assert.strictEqual(toReason(thrown(outer))["_tag"], "ConnectionLost")
  })

  it("lets no configured secret into any reason (Decision 15, R75)", () => {
    const failures: ReadonlyArray<HttpFailure.HttpFailure> = [
      refused(500, `bad ${CANARY}`),
      refused(401, `bad ${CANARY}`),
      refused(307, "", `Redirect to https://${CANARY}/ not followed`),
      // The cut must not come before the secret is hidden, or half of it is left.
      refused(500, `${"x".repeat(295)}${CANARY}`),
      refused(400, JSON.stringify({ error: { data: { supported: [CANARY] } } })),
      { _tag: "Unusable", what: `no JSON (${CANARY})` },
      { _tag: "OtherContent", type: CANARY },
      thrown(new TypeError("fetch failed", { cause: new Error(`no ${CANARY}`) }))
    ]
    for (const failure of failures) {
      for (const reason of [toReason(failure), handshake(failure)]) assert.notInclude(JSON.stringify(reason), "canar")
    }
  })
})

describe("HttpFailure.handshakeReason", () => {
  it("names both sides when the server refuses with what it speaks, whatever the status (R90)", () => {
    const body = (supported: unknown) =>
      JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32022, message: "no", data: { supported } } })
    assert.deepStrictEqual(handshake(refused(400, body(["2027-01-01"]))), {
      _tag: "ProtocolMismatch",
      offered: Revision.ALL,
      supported: ["2027-01-01"]
    })
    // It was not offered, or there would be no mismatch.
    assert.deepStrictEqual(handshake(refused(422, body(["2026-07-28"])))["offered"], Revision.LEGACY)
    assert.strictEqual(handshake(refused(400, body("all")))["_tag"], "HttpStatus")
  })

  it("takes an answer that is no JSON, no message or a page for a failed handshake", () => {
    const message = (failure: HttpFailure.HttpFailure) =>
      HttpFailure.handshakeReason(failure, { ...occasion(), method: "initialize" }).message
    assert.strictEqual(
      message({ _tag: "Unusable", what: "no JSON (Unexpected end)" }),
      "initialize failed: its answer is no JSON (Unexpected end)"
    )
    assert.match(message({ _tag: "OtherContent", type: null }), /not as an MCP server does \(no content type\)/)
  })

  it("leaves what says more as it is", () => {
    assert.strictEqual(handshake(refused(401))["_tag"], "AuthRequired")
    assert.strictEqual(handshake(refused(404))["_tag"], "HttpStatus")
    assert.strictEqual(handshake(thrown(new TypeError("fetch failed")))["_tag"], "ConnectionLost")
    const known = handshake({ _tag: "Known", reason: new ConnectionLost({ detail: "ended" }) })
    assert.strictEqual(known["_tag"], "ConnectionLost")
  })
})
