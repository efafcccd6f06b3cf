/**
 * Spans as collectors read them, by `opentelemetry/proto/trace/v1/trace.proto`.
 */
import type { AnyValue, KeyValue } from "effect/observability/OtlpResource"
import type { ScopeSpan, TraceData } from "effect/observability/OtlpTracer"
import { Buffer } from "node:buffer"

type Writer = ProtobufWriter
type Span = ScopeSpan["spans"][number]

export const encode = ({ resourceSpans }: TraceData): Uint8Array => {
  const writer = makeWriter()
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

// Messages of Protocol Buffers, written once into one buffer: a batch of spans has tens of thousands of fields, and an array
// for each would cost more than all that the spans are about.

export interface ProtobufWriter {
  /** A number of 32 bits at most, an enum or a flag. */
  readonly varint: (field: number, value: number) => void
  /** A number of 64 bits, which may be negative. */
  readonly int64: (field: number, value: bigint) => void
  readonly fixed64: (field: number, value: bigint) => void
  readonly double: (field: number, value: number) => void
  readonly text: (field: number, value: string) => void
  /** Bytes, from their hexadecimal digits. */
  readonly hex: (field: number, value: string) => void
  readonly bytes: (field: number, value: Uint8Array) => void
  /** A message within this one, whose fields `write` writes. */
  readonly message: (field: number, write: () => void) => void
  /** What was written. */
  readonly done: () => Uint8Array
}

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
/** The longest number there is, and the longest tag before it. */
const MOST_NUMBER = 20

export const makeWriter = (): ProtobufWriter => {
  let buffer = Buffer.allocUnsafe(64 * 1024)
  let at = 0
  const reserve = (bytes: number) => {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const unsigned = (value: number) => {
    let rest = value
    while (rest > 127) {
      buffer[at++] = (rest & 127) | 128
      rest >>>= 7
    }
    buffer[at++] = rest
  }
  const tag = (field: number, type: number) => {
    reserve(MOST_NUMBER)
    unsigned((field << 3) | type)
  }
  const ofLength = (field: number, length: number) => {
    tag(field, LENGTH)
    unsigned(length)
    reserve(length)
  }
  return {
    varint: (field, value) => {
      tag(field, VARINT)
      unsigned(value)
    },
    int64: (field, value) => {
      tag(field, VARINT)
      let rest = BigInt.asUintN(64, value)
      for (; rest > 127n; rest >>= 7n) buffer[at++] = Number(rest & 127n) | 128
      buffer[at++] = Number(rest)
    },
    fixed64: (field, value) => {
      tag(field, FIXED64)
      at = buffer.writeBigUInt64LE(BigInt.asUintN(64, value), at)
    },
    double: (field, value) => {
      tag(field, FIXED64)
      at = buffer.writeDoubleLE(value, at)
    },
    text: (field, value) => {
      ofLength(field, Buffer.byteLength(value))
      at += buffer.write(value, at)
    },
    hex: (field, value) => {
      ofLength(field, value.length / 2)
      at += buffer.write(value, at, "hex")
    },
    bytes: (field, value) => {
      ofLength(field, value.length)
      buffer.set(value, at)
      at += value.length
    },
    message: (field, write) => {
      tag(field, LENGTH)
      // Most are so short that one byte says how long they are; the others are moved.
      const start = ++at
      write()
      const length = at - start
      const more = length < 128 ? 0 : Math.floor(Math.log2(length) / 7)
      reserve(more)
      if (more > 0) buffer.copyWithin(start + more, start, at)
      at = start - 1
      unsigned(length)
      at += length
    },
    done: () => buffer.subarray(0, at)
  }
}
