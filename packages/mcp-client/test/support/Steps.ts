/**
 * Counts work on bytes instead of its time, so that a test of what is linear does not depend on the machine.
 */

/** @category models */
export interface Counted<A> {
  readonly value: A
  /** How many bytes were copied, searched and decoded by what arrays of bytes offer. */
  readonly bytes: number
}

const BYTES = Uint8Array.prototype

/** Runs a function while every copy, search and decoding of bytes is counted. Not to be nested. */
export const count = <A>(run: () => A): Counted<A> => {
  const { indexOf, lastIndexOf, set, slice } = BYTES
  const { decode } = TextDecoder.prototype
  let bytes = 0
  BYTES.indexOf = function(byte, from = 0) {
    const found = indexOf.call(this, byte, from)
    bytes += (found === -1 ? this.length : found + 1) - from
    return found
  }
  BYTES.lastIndexOf = function(byte, start) {
    const from = start ?? this.length - 1
    const found = lastIndexOf.call(this, byte, from)
    bytes += from - found
    return found
  }
  BYTES.set = function(source, offset) {
    bytes += source.length
    return set.call(this, source, offset)
  }
  BYTES.slice = function(start, end) {
    const copy = slice.call(this, start, end)
    bytes += copy.length
    return copy
  }
  TextDecoder.prototype.decode = function(input, options) {
    bytes += input?.byteLength ?? 0
    return decode.call(this, input, options)
  }
  try {
    return { value: run(), bytes }
  } finally {
    // What they hid, further up the chain, is seen again.
    for (const name of ["indexOf", "lastIndexOf", "set", "slice"]) Reflect.deleteProperty(BYTES, name)
    TextDecoder.prototype.decode = decode
  }
}
