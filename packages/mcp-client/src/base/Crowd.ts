/**
 * Things that come and go with each call, in the order in which they came. V8 makes a hash table anew after some changes, and the one
 * before refers to it: once one of them is old, the quick collections keep all that came after. An array refers to nothing that has gone.
 */

/** A thing with a number above those of all that came before it. */
export interface Member {
  readonly id: number
}

export class Crowd<A extends Member> {
  private readonly members: Array<A> = []

  get size(): number {
    return this.members.length
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
    if (at === 0) members.shift()
    else {
      members.copyWithin(at, at + 1)
      members.pop()
    }
    return true
  }
  /** Those of now, the oldest first. */
  all(): ReadonlyArray<A> {
    return [...this.members]
  }

  /** Answers come mostly in the order of their requests, so the first is looked at before all others. */
  private placeOf(id: number): number {
    const { members } = this
    if (members[0]?.id === id) return 0
    let low = 0
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
