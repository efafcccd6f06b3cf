/** The keys of an object, read one by one with the place of each mistake. */
import { Nearest } from "@boocode/mcp-config"
import { type Field, JsonNode } from "@boocode/mcp-config/Fields"
import * as Result from "effect/Result"

/** Reads the value of a key. */
export type Decode<A> = (node: JsonNode.JsonNode, key: string) => Result.Result<A, Field.Trouble>

/** The keys of an object that are read one by one, and all that is wrong with them. */
export class ObjectKeys {
  readonly #troubles: Array<Field.Trouble>
  readonly #members: ReadonlyMap<string, JsonNode.Member>
  readonly #key: string
  readonly #at: JsonNode.Place

  /** Keys that are written twice or are none of `known` are troubles. */
  constructor(node: JsonNode.ObjectNode, key: string, known: ReadonlyArray<string>) {
    this.#members = JsonNode.byKey(node.members)
    this.#key = key
    this.#at = node.at
    const twice = JsonNode.repeatedKeys(node.members)
    this.#troubles = [...this.#members.values()].flatMap((member) => {
      const base = { at: member.at, key: this.#pathOf(member.key) }
      if (twice.has(member.key)) return [{ ...base, detail: "is written more than once", hint: "keep one of them" }]
      return known.includes(member.key) ? [] : [{ ...base, ...unknown(member.key, known) }]
    })
  }

  get troubles(): ReadonlyArray<Field.Trouble> {
    return this.#troubles
  }

  add(trouble: Field.Trouble): void {
    this.#troubles.push(trouble)
  }

  has(key: string): boolean {
    return this.#members.has(key)
  }

  /** Where a key stands; the object itself where it does not. */
  placeOf(key: string): JsonNode.Place {
    return this.#members.get(key)?.at ?? this.#at
  }

  /** The value of a key; null when it is not there or wrong. */
  take<A>(key: string, decode: Decode<A>): A | null {
    const member = this.#members.get(key)
    if (member === undefined) return null
    return Result.getOrElse(decode(member.value, this.#pathOf(key)), (trouble) => {
      this.add(trouble)
      return null
    })
  }

  #pathOf(key: string): string {
    return this.#key === "" ? key : `${this.#key}.${key}`
  }
}

const unknown = (key: string, known: ReadonlyArray<string>) => {
  const [near] = Nearest.nearest(key, known)
  return {
    detail: "there is no such key",
    hint: near === undefined ? `the keys are ${known.join(", ")}` : `did you mean "${near}"?`
  }
}
