/** A labelled control. `about` explains it, `wrong` says what is the matter with what was typed. */
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface FieldProps {
  readonly label: string
  readonly about?: ComponentChildren
  readonly wrong?: string | null | undefined
  /** Gets what ties the control to its label and its explanations: `<input class="input" {...props} />`. */
  readonly children: (props: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ComponentChildren
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
