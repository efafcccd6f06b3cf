/** A labelled control. `about` explains it, `wrong` says what is the matter with what was typed. */
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

/** The ids that tie a control to its label and its explanations. */
export interface Bound {
  readonly id: string
  readonly "aria-describedby"?: string
  readonly "aria-invalid"?: true
}

interface FieldProps {
  readonly label: string
  readonly about?: ComponentChildren
  readonly wrong?: string | null | undefined
  /** `(bind) => <input class="input" {...bind} />` */
  readonly children: (bind: Bound) => ComponentChildren
}

export const LabelledField = ({ about, children, label, wrong }: FieldProps) => {
  const id = useId()
  const isWrong = wrong !== null && wrong !== undefined
  const described = [about === undefined ? "" : `${id}-about`, isWrong ? `${id}-wrong` : ""].filter((of) => of !== "")
  return (
    <div class="field">
      <label class="label" for={id}>{label}</label>
      {about === undefined ? null : <span class="about" id={`${id}-about`}>{about}</span>}
      {children({
        id,
        ...(described.length === 0 ? {} : { "aria-describedby": described.join(" ") }),
        ...(isWrong ? { "aria-invalid": true } : {})
      })}
      {isWrong ? <span class="wrong" id={`${id}-wrong`} role="alert">{wrong}</span> : null}
    </div>
  )
}
