/** The properties of every control. */
import type { JSX } from "preact"
import type { FieldProblem } from "../FieldProblem.ts"
import type { Draft } from "../FormDraft.ts"
import type { Field } from "../FormField.ts"

/**
 * How a form asks. `exact` can give every value that the schema allows, and tells a value that is left out from an empty
 * one and from null; `titled` does so with titles in the place of keys. `easy` is for a flat form that a person fills in once: ticks, the pickers of the browser, titles in
 * the place of keys, and nothing about JSON where a field can do without.
 */
export type Manner = "exact" | "titled" | "easy"

export interface ControlProps<F extends Field = Field> {
  readonly field: F
  readonly draft: Draft
  readonly isRequired: boolean
  readonly label: string
  readonly path: string
  readonly problems: ReadonlyArray<FieldProblem>
  readonly manner: Manner
  readonly onChange: (draft: Draft) => void
}

/** Draws what is inside of a value. Fields hold fields, so who draws one is told how to draw the others. */
export type Inner = (props: ControlProps) => JSX.Element

export interface OuterProps<F extends Field> extends ControlProps<F> {
  readonly Inner: Inner
}

/** The properties of a control without others in it: its problem is one sentence. */
export interface PlainControlProps extends Omit<ControlProps, "path" | "problems" | "manner"> {
  readonly wrong: string | null
}
