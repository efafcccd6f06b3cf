/**
 * Many deadlines and which of them is the first: one more, or one less, costs next to nothing however many there are.
 */

/** A deadline; who sets it keeps it, and hands it in to move it or to take it away. @category models */
export interface Deadline {
  /** In milliseconds of the clock. Changed by `move` only. */
  at: number
  /** Where it is kept; null while it is not. */
  place: number | null
}

/** @category models */
export interface Deadlines<D extends Deadline> {
  readonly add: (deadline: D, at: number) => void
  readonly move: (deadline: D, at: number) => void
  /** Takes it away; nothing where it is not kept. */
  readonly remove: (deadline: D) => void
  /** Null when there is none. */
  readonly first: () => D | null
}

/**
 * No deadlines yet. A binary heap of those that know their place in it: the last one to come is mostly the last to be
 * due, and stays where it was put.
 *
 * @category constructors
 */
export const make = <D extends Deadline>(): Deadlines<D> => {
  const heap: Array<D> = []

  const put = (deadline: D, place: number) => {
    heap[place] = deadline
    deadline.place = place
  }
  /** Each that is due later than this one, on the way to the first, makes room for it. */
  const rise = (deadline: D, from: number) => {
    let place = from
    while (place > 0) {
      const above = heap[(place - 1) >> 1]
      if (above === undefined || above.at <= deadline.at) break
      put(above, place)
      place = (place - 1) >> 1
    }
    put(deadline, place)
  }
  /** The same the other way. */
  const sink = (deadline: D, from: number) => {
    let place = from
    for (;;) {
      const left = 2 * place + 1
      const one = heap[left]
      const other = heap[left + 1]
      const sooner = other !== undefined && one !== undefined && other.at < one.at ? other : one
      if (sooner === undefined || sooner.at >= deadline.at) break
      put(sooner, place)
      place = sooner === one ? left : left + 1
    }
    put(deadline, place)
  }
  const settle = (deadline: D, place: number) => {
    rise(deadline, place)
    sink(deadline, deadline.place ?? place)
  }
  return {
    add: (deadline, at) => {
      deadline.at = at
      rise(deadline, heap.length)
    },
    move: (deadline, at) => {
      deadline.at = at
      if (deadline.place !== null) settle(deadline, deadline.place)
    },
    remove: (deadline) => {
      const { place } = deadline
      if (place === null) return
      deadline.place = null
      const last = heap.pop()
      if (last !== undefined && last !== deadline) settle(last, place)
    },
    first: () => heap[0] ?? null
  }
}
