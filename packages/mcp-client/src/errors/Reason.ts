/** How a reason is made: its tag, its fields, its words and what to try. */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"

export interface Details {
  readonly message: string
  readonly hint: string
}

interface Words<Fields> {
  readonly message: (fields: Fields) => string
  readonly hint: string | ((fields: Fields) => string)
}

type ReasonClass<Tag extends string, Fields> = new(
  fields: Fields
) => Cause.YieldableError & { readonly _tag: Tag } & Readonly<Fields> & Details

/** The class of a reason with these fields; a field that does not apply is absent. */
export const reason =
  <Fields extends object>() => <Tag extends string>(tag: Tag, words: Words<Fields>): ReasonClass<Tag, Fields> => {
    class Reason extends Data.TaggedError(tag) {
      override get message() {
        return words.message(fieldsOf(this))
      }
      get hint() {
        return typeof words.hint === "string" ? words.hint : words.hint(fieldsOf(this))
      }
    }
    // oxlint-disable-next-line typescript/consistent-type-assertions -- a class cannot extend what depends on a type parameter
    const fieldsOf = (made: Reason): Fields => made as unknown as Fields
    // oxlint-disable-next-line typescript/consistent-type-assertions -- as above: its constructor takes the fields
    return Reason as unknown as ReasonClass<Tag, Fields>
  }
