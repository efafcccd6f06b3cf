/**
 * Spans as collectors read them, by `opentelemetry/proto/trace/v1/trace.proto`.
 */
import type { AnyValue, KeyValue } from "effect/observability/OtlpResource"
import type { ScopeSpan, TraceData } from "effect/observability/OtlpTracer"
import * as ProtobufWriter from "./ProtobufWriter.ts"

type Writer = ProtobufWriter.ProtobufWriter
type Span = ScopeSpan["spans"][number]

export const encode = ({ resourceSpans }: TraceData): Uint8Array => {
  const writer = ProtobufWriter.make()
  const { message, text } = writer
  for (const { resource, scopeSpans } of resourceSpans) {
    message(1, () => {
      message(1, () => attributes(writer, 1, resource.attributes))
      for (const { scope, spans } of scopeSpans) {
        message(2, () => {
          message(1, () => {
            text(1, scope.name)
            if (scope.version !== undefined) text(2, scope.version)
          })
          for (const span of spans) message(2, () => spanOf(writer, span))
        })
      }
    })
  }
  return writer.done()
}

const spanOf = (writer: Writer, span: Span): void => {
  const { fixed64, hex, message, text, varint } = writer
  hex(1, span.traceId)
  hex(2, span.spanId)
  if (span.parentSpanId !== undefined) hex(4, span.parentSpanId)
  text(5, span.name)
  varint(6, span.kind)
  fixed64(7, BigInt(span.startTimeUnixNano))
  fixed64(8, BigInt(span.endTimeUnixNano))
  attributes(writer, 9, span.attributes)
  for (const event of span.events) {
    message(11, () => {
      fixed64(1, BigInt(event.timeUnixNano))
      text(2, event.name)
      attributes(writer, 3, event.attributes)
    })
  }
  for (const link of span.links) {
    message(13, () => {
      hex(1, link.traceId)
      hex(2, link.spanId)
      attributes(writer, 4, link.attributes)
    })
  }
  message(15, () => {
    const words = span.status.message ?? ""
    if (words !== "") text(2, words)
    varint(3, span.status.code)
  })
}

const attributes = (writer: Writer, field: number, all: ReadonlyArray<KeyValue>): void => {
  for (const { key, value } of all) {
    writer.message(field, () => {
      writer.text(1, key)
      writer.message(2, () => valueOf(writer, value))
    })
  }
}

const valueOf = (writer: Writer, value: AnyValue): void => {
  const { arrayValue, boolValue, bytesValue, doubleValue, intValue, kvlistValue, stringValue } = value
  if (isThere(stringValue)) writer.text(1, stringValue)
  else if (isThere(boolValue)) writer.varint(2, boolValue ? 1 : 0)
  else if (isThere(intValue)) writer.int64(3, BigInt(intValue))
  else if (isThere(doubleValue)) writer.double(4, doubleValue)
  else if (arrayValue !== undefined) {
    writer.message(5, () => {
      for (const one of arrayValue.values) writer.message(1, () => valueOf(writer, one))
    })
  } else if (kvlistValue !== undefined) writer.message(6, () => attributes(writer, 1, kvlistValue.values))
  else if (bytesValue !== undefined) writer.bytes(7, bytesValue)
}

const isThere = <A>(value: A | null | undefined): value is A => value !== null && value !== undefined
