/** How much of a list has room. Pure. */

/** How many of the first items have room together; `sizeOf` counts in the unit of the room. */
export const count = <A>(items: ReadonlyArray<A>, room: number, sizeOf: (item: A) => number): number => {
  let left = room
  const end = items.findIndex((item) => (left -= sizeOf(item)) < 0)
  return end < 0 ? items.length : end
}
