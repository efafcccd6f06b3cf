/** What every control is given. */
import type { JSX } from "preact"
import type { Draft, FieldProblem } from "../form/FormDraft.ts"
import type { Field } from "../form/FormField.ts"

export interface ControlProps<F extends Field = Field> {
  readonly field: F
  readonly draft: Draft
  readonly isRequired: boolean
  readonly label: string
  readonly path: string
  readonly problems: ReadonlyArray<FieldProblem>
  readonly onChange: (draft: Draft) => void
}

/** Draws what is inside of a value. Fields hold fields, so who draws one is told how to draw the others. */
export type Inner = (props: ControlProps) => JSX.Element

export interface OuterProps<F extends Field> extends ControlProps<F> {
  readonly Inner: Inner
}

/** What ties a control to its label and its explanations. */
export interface Bound {
  readonly id: string
  readonly "aria-describedby"?: string
  readonly "aria-invalid"?: true
}
