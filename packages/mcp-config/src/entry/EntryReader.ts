/**
 * Reads the keys of one entry and notes all that is wrong with them, so that a person sees everything at once.
 */
import * as Result from "effect/Result"
import type { Remark } from "../model/ServerEntry.ts"
import type * as Field from "../text/Field.ts"
import type { JsonNode, Member } from "../text/JsonNode.ts"

/** A JSON object. */
export type ObjectNode = JsonNode & { readonly type: "object" }

/** The members by key; of those written more than once the last one, as JSON readers have it. */
export const byKey = (members: ReadonlyArray<Member>): ReadonlyMap<string, Member> =>
  new Map(members.map((member) => [member.key, member]))

/** The keys written more than once. */
export const repeatedKeys = (members: ReadonlyArray<Member>): ReadonlySet<string> => {
  const seen = new Set<string>()
  return new Set(members.map((member) => member.key).filter((key) => seen.size === seen.add(key).size))
}

/** One entry while it is read. */
export class EntryReader {
  readonly path: string
  readonly node: ObjectNode
  readonly keys: ReadonlyMap<string, Member>
  readonly troubles: Array<Field.Trouble> = []
  readonly remarks: Array<Remark> = []

  constructor(path: string, node: ObjectNode) {
    this.path = path
    this.node = node
    this.keys = byKey(node.members)
  }

  /** The value of a key; `absent` when it is not there, or wrong, which is noted. */
  read<A, B>(key: string, decoder: Field.Decoder<A>, absent: B): A | B {
    const member = this.keys.get(key)
    if (member === undefined) return absent
    const result = decoder(member.value, this.#pathOf(key))
    if (Result.isSuccess(result)) return result.success
    this.troubles.push(result.failure)
    return absent
  }

  /** Notes what keeps the entry from being used. */
  trouble(key: string, detail: string, hint: string): null {
    this.troubles.push({ at: this.keys.get(key)?.at ?? this.node.at, key: this.#pathOf(key), detail, hint })
    return null
  }

  /** Notes what is worth saying and does not stop the entry. */
  remark(key: string, detail: string): void {
    this.remarks.push({ at: this.keys.get(key)?.at ?? this.node.at, key: this.#pathOf(key), detail })
  }

  /** How the file calls a key. */
  #pathOf(key: string): string {
    return this.keys.get(key)?.path ?? `${this.path}.${key}`
  }
}
