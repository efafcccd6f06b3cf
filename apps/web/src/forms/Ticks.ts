/** A list of which several options may be chosen, as ticks. Pure. */
import { type Draft, UNSET } from "./FormDraft.ts"
import type { ChoiceField, Field } from "./FormField.ts"

type Options = ChoiceField["options"]

/** The options of a list that ticks can show; null for any other field. */
export const optionsOf = (field: Field): Options | null => {
  const item = field.kind === "list" ? field.item() : null
  return item?.kind === "choice" ? item.options : null
}

const isTicked = (draft: Draft, index: number): boolean =>
  draft.is === "list" && draft.items.some((item) => item.is === "choice" && item.index === index)

/** The options that are ticked, in the order of the schema. */
export const ticked = (draft: Draft, options: Options): ReadonlyArray<number> =>
  options.map((_, index) => index).filter((index) => isTicked(draft, index))

/** One option more or less; none at all is nothing said. */
export const toggled = (draft: Draft, options: Options, index: number): Draft => {
  const items = options.map((_, each) => each).filter((each) => isTicked(draft, each) !== (each === index))
  return items.length === 0 ? UNSET : { is: "list", items: items.map((each) => ({ is: "choice", index: each })) }
}
