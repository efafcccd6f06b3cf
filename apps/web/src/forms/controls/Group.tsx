/** Several controls under one name, with what is wrong with them as a whole. */
import type { ComponentChildren } from "preact"
import type { Field } from "../FormField.ts"
import { About } from "./About.tsx"

interface GroupProps {
  readonly label: string
  readonly field: Field
  readonly isRequired: boolean
  readonly wrong: string | null
  readonly ways: ComponentChildren
  readonly children?: ComponentChildren
}

export const Group = ({ children, field, isRequired, label, ways, wrong }: GroupProps) => (
  <fieldset class="group">
    <legend>{isRequired ? `${label} *` : label}</legend>
    <div class="group-head">
      <div class="group-about">
        <About field={field} />
      </div>
      <div class="control-more">{ways}</div>
    </div>
    {wrong === null ? null : <p class="wrong" role="alert">{wrong}</p>}
    {children}
  </fieldset>
)
