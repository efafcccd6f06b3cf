/** Reads the keys of one entry and notes everything that is wrong with them, so that a person sees it at once. */
import * as Result from "effect/Result"
import type { Remark } from "../model/ServerEntry.ts"
import type * as Field from "../text/Field.ts"
import { byKey, type Member, type ObjectNode } from "../text/JsonNode.ts"

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
  read<A, B>(key: string, kind: Field.Kind<A>, absent: B): A | B {
    const member = this.keys.get(key)
    if (member === undefined) return absent
    const result = kind.decode(member.value, this.pathOf(key))
    if (Result.isSuccess(result)) return result.success
    this.troubles.push(result.failure)
    return absent
  }

  /** The text of a key with its place; null when it is not there, or wrong. */
  text(key: string, kind: Field.Kind<string>): Field.Written | null {
    const text = this.read(key, kind, null)
    return text === null ? null : { text, at: this.keys.get(key)?.value.at ?? this.node.at, key: this.pathOf(key) }
  }

  /** The texts of a list with their places; a text alone is a list of one. */
  texts(key: string, kind: Field.Kind<ReadonlyArray<string>>): ReadonlyArray<Field.Written> | null {
    const texts = this.read(key, kind, null)
    return texts === null ? null : this.#placed(key, texts)
  }

  /** The texts of a list with their places, or a flag in place of a list. */
  flagOrTexts(
    key: string,
    kind: Field.Kind<boolean | ReadonlyArray<string> | null>
  ): boolean | ReadonlyArray<Field.Written> | null {
    const value = this.read(key, kind, null)
    return value === null || typeof value === "boolean" ? value : this.#placed(key, value)
  }

  #placed(key: string, texts: ReadonlyArray<string>): ReadonlyArray<Field.Written> {
    const value = this.keys.get(key)?.value ?? this.node
    const path = this.pathOf(key)
    if (value.type !== "array") return texts.map((text) => ({ text, at: value.at, key: path }))
    return texts.map((text, index) => ({ text, at: value.items[index]?.at ?? value.at, key: `${path}[${index}]` }))
  }

  /** The texts of an object with their places, by name. */
  textMap(
    key: string,
    kind: Field.Kind<Readonly<Record<string, string>>>
  ): ReadonlyArray<readonly [string, Field.Written]> {
    const value = this.read(key, kind, null) === null ? undefined : this.keys.get(key)?.value
    return value?.type !== "object" ? [] : [...byKey(value.members).values()].flatMap((member) => {
      const path = member.path ?? `${this.pathOf(key)}.${member.key}`
      if (member.value.type !== "string") return []
      return [[member.key, { text: member.value.value, at: member.value.at, key: path }] as const]
    })
  }

  /** Notes what keeps the entry from being used. */
  trouble(key: string, detail: string, hint: string): null {
    this.troubles.push({ at: this.keys.get(key)?.at ?? this.node.at, key: this.pathOf(key), detail, hint })
    return null
  }

  /** Notes what is worth saying and does not stop the entry. */
  remark(key: string, detail: string): void {
    this.remarks.push({ at: this.keys.get(key)?.at ?? this.node.at, key: this.pathOf(key), detail })
  }

  /** The path of a key as the file has it. */
  pathOf(key: string): string {
    return this.keys.get(key)?.path ?? `${this.path}.${key}`
  }
}
