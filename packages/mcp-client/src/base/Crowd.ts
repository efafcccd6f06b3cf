/**
 * Things that come and go with each call, in the order of their numbers. V8 makes a hash table anew after some changes, and the one
 * before refers to it: once one of them is old, the quick collections keep all that came after. An array refers to nothing that has gone.
 */

/** A thing with a number of its own; most come with one above all before. */
export interface Member {
  readonly id: number
}

export class Crowd<A extends Member> {
  /** Those before `from` have gone: to move all others up for each that goes would take long. */
  private readonly members: Array<A | undefined> = []
  private from = 0

  get size(): number {
    return this.members.length - this.from
  }
  /** One that comes late finds its place. */
  add(member: A): void {
    const { members } = this
    let at = members.push(member) - 1
    for (let before = members[at - 1]; before !== undefined && before.id > member.id; before = members[at - 1]) {
      members[at--] = before
    }
    members[at] = member
  }
  find(id: unknown): A | undefined {
    return typeof id === "number" ? this.members[this.placeOf(id)] : undefined
  }
  /** Says whether it was there. */
  delete({ id }: Member): boolean {
    const { members } = this
    const at = this.placeOf(id)
    if (at < 0) return false
    if (at === members.length - 1) members.pop()
    else if (at > this.from) members.splice(at, 1)
    else {
      members[at] = undefined
      this.from++
    }
    const isWorthIt = this.from >= MOST_GONE ? this.from > this.size : this.from > 0 && this.size === 0
    if (isWorthIt) {
      members.splice(0, this.from)
      this.from = 0
    }
    return true
  }
  /** Those of now, the oldest first. */
  all(): ReadonlyArray<A> {
    return this.members.flatMap((member) => member ?? [])
  }

  /** Answers come mostly in the order of their requests, so the first is looked at before all others. */
  private placeOf(id: number): number {
    const { members } = this
    if (members[this.from]?.id === id) return this.from
    let low = this.from
    let high = members.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = members[middle]?.id ?? 0
      if (found === id) return middle
      if (found < id) low = middle + 1
      else high = middle - 1
    }
    return -1
  }
}

const MOST_GONE = 64
