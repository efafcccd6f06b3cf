/**
 * Finds the next of two bytes in a chunk, so that a search over the whole chunk looks at each byte once for either.
 */

/**
 * Where the next of the two is, at or after an index; the length of the chunk when there is none. To be asked for rising
 * indices.
 *
 * @category constructors
 */
export const of = (chunk: Uint8Array, first: number, second: number): (from: number) => number => {
  const [one, other] = [next(chunk, first), next(chunk, second)]
  return (from) => Math.min(one(from), other(from))
}

const next = (chunk: Uint8Array, byte: number) => {
  let found = -1
  return (from: number) => {
    if (found < from) found = chunk.indexOf(byte, from)
    if (found === -1) found = chunk.length
    return found
  }
}
