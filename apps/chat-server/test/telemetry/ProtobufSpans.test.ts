/** Spans in bytes are what Effect's own encoder makes of them, field by field. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import type { TraceData } from "effect/observability/OtlpTracer"
import * as Schema from "effect/Schema"
import { Buffer } from "node:buffer"
import * as ProtobufSpans from "../../src/telemetry/ProtobufSpans.ts"

const words = Arbitrary.array(Arbitrary.schema(Schema.String), { minLength: 1, maxLength: 30 })

const dataOf = (texts: ReadonlyArray<string>): TraceData => {
  const attributes = texts.flatMap((text, at) => [
    { key: `text ${at}`, value: { stringValue: text } },
    { key: text, value: { intValue: at % 2 === 0 ? -at : 2 ** 40 + at } },
    { key: "large", value: { intValue: "9007199254740993" } },
    { key: "flag", value: { boolValue: at % 2 === 0 } },
    { key: "part", value: { doubleValue: at / 3 } },
    { key: "all", value: { arrayValue: { values: [{ stringValue: text }, { doubleValue: 0.5 }] } } }
  ])
  const span = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    parentSpanId: "00f067aa0ba902b7",
    name: texts.join(" "),
    kind: 3,
    startTimeUnixNano: "1795333333333333333",
    endTimeUnixNano: "1795333333444444444",
    attributes,
    droppedAttributesCount: 0,
    events: [{ name: "exception", timeUnixNano: "1795333333333333334", attributes, droppedAttributesCount: 0 }],
    droppedEventsCount: 0,
    status: { code: 2 as const, message: texts.join("") },
    links: [],
    droppedLinksCount: 0
  }
  return {
    resourceSpans: [{
      resource: { attributes, droppedAttributesCount: 0 },
      scopeSpans: [{ scope: { name: "effect", version: "4" }, spans: [span, { ...span, parentSpanId: undefined }] }]
    }]
  }
}

describe("Spans in bytes", () => {
  const isTheSame = (texts: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const own = yield* OtlpSerialization.OtlpSerialization
      const data = dataOf(texts)
      const body = own.traces(data)
      const theirs = body._tag === "Uint8Array" ? body.body : new Uint8Array()
      assert.isTrue(Buffer.from(ProtobufSpans.encode(data)).equals(theirs), JSON.stringify(texts))
    }).pipe(Effect.provide(OtlpSerialization.layerProtobuf))

  it.effect("are those of Effect's own encoder, however long they are", () =>
    Effect.forEach(
      ["x".repeat(100), "x".repeat(200), "ä€😀".repeat(6000), "x".repeat(70_000)],
      (text) => isTheSame([text, "a"])
    ))

  it.effect.prop("are those of Effect's own encoder, whatever the texts", [words], ([texts]) => isTheSame(texts))
})
