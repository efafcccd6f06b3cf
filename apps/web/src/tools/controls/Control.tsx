/** The control of one value: chosen by the kind of its field. */
import type { JSX } from "preact"
import { Button } from "../../ui/Button.tsx"
import { LabelledField as Labelled } from "../../ui/forms/LabelledField.tsx"
import { about } from "../form/ServerProblems.ts"
import { About } from "./About.tsx"
import type { Bound, ControlProps } from "./ControlProps.ts"
import { ListControl } from "./ListControl.tsx"
import { ObjectBody, type ObjectBodyProps, ObjectControl } from "./ObjectControl.tsx"
import { BooleanControl, ChoiceControl, JsonControl, NumberControl, TextControl } from "./PlainControls.tsx"
import { VariantsControl } from "./VariantsControl.tsx"
import { Ways } from "./Ways.tsx"

/** The controls of an object's properties, without a frame around them. */
export const Properties = (props: Omit<ObjectBodyProps, "Inner">) => <ObjectBody {...props} Inner={Control} />

/** One value with its label, what it is about, what is wrong with it, and the ways to leave it out or to say `null`. */
export const Control = (props: ControlProps): JSX.Element => {
  const { draft, field, isRequired, label, onChange, path, problems } = props
  if (draft.is !== "json" || field.kind === "json") {
    if (field.kind === "object") return <ObjectControl {...props} field={field} Inner={Control} />
    if (field.kind === "list") return <ListControl {...props} field={field} Inner={Control} />
    if (field.kind === "variants") return <VariantsControl {...props} field={field} Inner={Control} />
  }
  const wrong = about(problems, path)
  const isBlank = wrong !== null && problems.some((problem) => problem.path === path && problem.isMissing)
  return (
    <div class="control">
      <Labelled label={isRequired ? `${label} *` : label} about={<About field={field} />} wrong={wrong}>
        {(bind) => draft.is === "null" ? <NullValue bind={bind} /> : <Plain {...props} bind={bind} />}
      </Labelled>
      <div class="control-more">
        {isBlank && field.kind === "text"
          ? <Button kind="plain" isSmall onClick={() => onChange({ is: "text", text: "" })}>Send an empty text</Button>
          : null}
        <Ways draft={draft} field={field} isRequired={isRequired} label={label} onChange={onChange} />
      </div>
    </div>
  )
}

const Plain = ({ bind, draft, field, isRequired, onChange }: ControlProps & { readonly bind: Bound }) => {
  if (draft.is === "json" || field.kind === "json") return <JsonControl bind={bind} draft={draft} onChange={onChange} />
  switch (field.kind) {
    case "text":
      return <TextControl bind={bind} field={field} draft={draft} isRequired={isRequired} onChange={onChange} />
    case "number":
      return <NumberControl bind={bind} field={field} draft={draft} isRequired={isRequired} onChange={onChange} />
    case "boolean":
      return <BooleanControl bind={bind} field={field} draft={draft} isRequired={isRequired} onChange={onChange} />
    case "choice":
      return <ChoiceControl bind={bind} field={field} draft={draft} isRequired={isRequired} onChange={onChange} />
    default:
      return null
  }
}

const NullValue = ({ bind }: { readonly bind: Bound }) => <input {...bind} class="input mono" readOnly value="null" />
