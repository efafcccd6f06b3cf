/** The calls whose arguments a model still writes: their texts, and what can be read of them. */
import type { CallDraft, JsonObject, Part } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { healed } from "./HealedJson.ts"
import type { DraftedCall } from "./TurnModel.ts"

interface Draft {
  readonly key: number
  text: string
  /** How much of it was read. */
  read: number
  args: JsonObject
}

/** A longer text is read anew when it grew by this part of it: all readings together cost no more than a few of the whole. */
const GROWTH = 8
const SHORT = 1000

export class WrittenCalls {
  readonly #drafts = new Map<string, Draft>()
  #count = 0

  /** The call as far as it is written. Null for a piece whose beginning was missed, and where nothing new can be read. */
  take({ at, text, ...about }: CallDraft): DraftedCall | null {
    const { id } = about
    const draft = this.#drafts.get(id) ?? { key: -(++this.#count), text: "", read: 0, args: {} }
    if (at > draft.text.length) return null
    this.#drafts.set(id, draft)
    draft.text = at === draft.text.length ? draft.text + text : draft.text.slice(0, at) + text
    const { length } = draft.text
    if (length > SHORT && length - draft.read < length / GROWTH) return null
    draft.read = length
    draft.args = healed(draft.text) ?? draft.args
    return {
      key: draft.key,
      written: length,
      call: { ...about, ...meant(about.name, draft.args), type: "tool-call", seq: 0 }
    }
  }

  /** Forgets the calls that came, and all of them where the answer ended or begins anew. */
  end(parts: ReadonlyArray<Part>): void {
    for (const part of parts) {
      if (part.type === "tool-call") this.#drafts.delete(part.id)
      if (part.type === "finish" || part.type === "retry") this.clear()
    }
  }

  /** Forgets all: each call has to be told from its beginning. */
  clear(): void {
    this.#drafts.clear()
  }

  has(id: string): boolean {
    return this.#drafts.has(id)
  }
}

/** A tool that is called by way of another is shown as itself once its name is written. */
const meant = (name: string, args: JsonObject) =>
  name === "tool_call" && typeof args["name"] === "string" && isObject(args["arguments"])
    ? { name: args["name"], args: args["arguments"], through: name }
    : { name, args }
