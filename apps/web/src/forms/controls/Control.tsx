/** The control of one value: chosen by the kind of its field and the manner of its form. */
import type { JSX } from "preact"
import { forms as texts } from "../../messages/FormsMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { type Bound, LabelledField as Labelled } from "../../ui/forms/LabelledField.tsx"
import type { Field } from "../FormField.ts"
import { about } from "../ServerProblems.ts"
import { optionsOf } from "../Ticks.ts"
import { About } from "./About.tsx"
import type { ControlProps } from "./ControlProps.ts"
import { ListControl } from "./ListControl.tsx"
import { ObjectBody, type ObjectBodyProps, ObjectControl } from "./ObjectControl.tsx"
import { BooleanControl, ChoiceControl, JsonControl, NumberControl, TextControl } from "./PlainControls.tsx"
import { isPicked, PickedText } from "./TextPickers.tsx"
import { TickControl, TicksControl } from "./TickControls.tsx"
import { VariantsControl } from "./VariantsControl.tsx"
import { Ways } from "./Ways.tsx"
import "../forms.css"

export const Properties = (props: Omit<ObjectBodyProps, "Inner">) => <ObjectBody {...props} Inner={Control} />

export const Control = (props: ControlProps): JSX.Element =>
  props.manner === "easy" ? <EasyControl {...props} /> : <ExactControl {...props} />

/** The request of a field. Its default is in it already, and a picker knows its format. */
const easyAbout = (field: Field): Field => {
  const bare = { ...field, default: undefined }
  return bare.kind === "text" && isPicked(bare) ? { ...bare, format: null } : bare
}

const EasyControl = ({ draft, field, isRequired, label, onChange, path, problems }: ControlProps) => {
  const wrong = about(problems, path)
  const name = field.title ?? label
  const marked = isRequired ? name : `${name} (optional)`
  const options = optionsOf(field)
  const shared = { draft, isRequired, wrong, onChange }
  if (field.kind === "boolean") return <TickControl {...shared} field={field} label={name} />
  if (options !== null) return <TicksControl {...shared} field={easyAbout(field)} label={marked} options={options} />
  return (
    <Labelled label={marked} about={<About field={easyAbout(field)} />} wrong={wrong}>
      {(bind) =>
        field.kind === "text"
          ? <PickedText bind={bind} field={field} draft={draft} isRequired={isRequired} onChange={onChange} />
          : (
            <Plain
              bind={bind}
              field={field}
              draft={draft}
              isRequired={isRequired}
              none={texts.none}
              onChange={onChange}
            />
          )}
    </Labelled>
  )
}

/** Beside its label a value has the ways to leave it out or to say `null`. */
const ExactControl = (props: ControlProps) => {
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
          ? (
            <Button kind="plain" isSmall onClick={() => onChange({ is: "text", text: "" })}>
              {texts.sendAnEmptyText}
            </Button>
          )
          : null}
        <Ways draft={draft} field={field} isRequired={isRequired} label={label} onChange={onChange} />
      </div>
    </div>
  )
}

interface PlainProps extends Pick<ControlProps, "draft" | "field" | "isRequired" | "onChange"> {
  readonly bind: Bound
  /** The choice when nothing is chosen. */
  readonly none?: string
}

const Plain = ({ bind, draft, field, isRequired, none, onChange }: PlainProps) => {
  if (draft.is === "json") return <JsonControl bind={bind} draft={draft} onChange={onChange} />
  const shared = { bind, draft, isRequired, onChange }
  switch (field.kind) {
    case "text":
      return <TextControl {...shared} field={field} />
    case "number":
      return <NumberControl {...shared} field={field} />
    case "boolean":
      return <BooleanControl {...shared} field={field} />
    case "choice":
      return <ChoiceControl {...shared} field={field} {...(none === undefined ? {} : { none })} />
    default:
      return <JsonControl bind={bind} draft={draft} onChange={onChange} />
  }
}

const NullValue = ({ bind }: { readonly bind: Bound }) => <input {...bind} class="input mono" readOnly value="null" />
