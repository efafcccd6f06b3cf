/** What the schema says of a value, and the hints that follow from it. */
import type { Field } from "../FormField.ts"
import { hintsOf } from "./Hints.ts"

export const About = ({ field }: { readonly field: Field }) => {
  const hints = hintsOf(field)
  if (field.description === null && hints === "") return null
  return (
    <>
      {field.description === null ? null : <span class="words">{field.description}</span>}
      {hints === "" ? null : <span class="hints">{hints}</span>}
    </>
  )
}
