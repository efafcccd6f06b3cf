/**
 * What is kept for a moment each, by a number that only grows, such as the requests that wait for their answers.
 *
 * A `Map` from which as much is taken as is put into it gets a new table every hundred times or so, and the tables that it
 * left point at each other: one of them that has become old keeps all that was ever in the later ones from being freed.
 * Here each has its place in a row of places that are used in turn.
 */

/** So many places are there at first; always a power of two. */
const FEW = 8

export class PendingTable<A> {
  private numbers: Array<number> = []
  private items: Array<A | undefined> = []
  /** Those that stay longer than the others, whose turn has come again. */
  private lasting: Map<number, A> | null = null
  private count = 0

  /** How many there are. */
  get size(): number {
    return this.count
  }
  /** Keeps one by a number that was not given before. */
  add(number: number, item: A): void {
    if (this.isTaken(number)) this.makeRoom(number)
    const place = this.placeOf(number)
    this.numbers[place] = number
    this.items[place] = item
    this.count += 1
  }
  /** Undefined where there is none; nothing but a number has one. */
  get(number: unknown): A | undefined {
    if (typeof number !== "number") return undefined
    const place = this.placeOf(number)
    return this.numbers[place] === number ? this.items[place] : this.lasting?.get(number)
  }
  /** Gives one and forgets it. */
  take(number: unknown): A | undefined {
    const item = this.get(number)
    if (typeof number !== "number" || item === undefined) return undefined
    const place = this.placeOf(number)
    if (this.numbers[place] === number) this.items[place] = undefined
    else this.lasting?.delete(number)
    this.count -= 1
    return item
  }
  /** All there are at this moment, the oldest first. */
  all(): ReadonlyArray<A> {
    const all = new Map(this.lasting ?? [])
    for (const [place, item] of this.items.entries()) {
      if (item !== undefined) all.set(this.numbers[place] ?? 0, item)
    }
    return [...all].sort(([one], [other]) => one - other).map(([, item]) => item)
  }

  private placeOf(number: number): number {
    return number & (this.items.length - 1)
  }
  private isTaken(number: number): boolean {
    return this.items.length === 0 || this.items[this.placeOf(number)] !== undefined
  }
  /** Many at a time get more places; one that stays is put aside. */
  private makeRoom(number: number): void {
    if (this.items.length === 0 || this.count > this.items.length / 2) this.spread(Math.max(FEW, this.items.length * 2))
    if (!this.isTaken(number)) return
    const place = this.placeOf(number)
    const [older, item] = [this.numbers[place], this.items[place]]
    if (older === undefined || item === undefined) return
    this.lasting ??= new Map()
    this.lasting.set(older, item)
  }
  private spread(length: number): void {
    const { items, numbers } = this
    this.numbers = Array.from({ length }, () => -1)
    this.items = Array.from({ length }, () => undefined)
    for (const [at, item] of items.entries()) {
      const number = numbers[at]
      if (number === undefined || item === undefined) continue
      const place = this.placeOf(number)
      this.numbers[place] = number
      this.items[place] = item
    }
  }
}
