/** Arguments of a call as fields with their own line breaks; as JSON for those who ask. */
import { useSignal } from "@preact/signals"
import { Fragment } from "preact"
import type { Json } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { call as words } from "../../messages/ChatMessages.ts"
import { toolsByName } from "../../state/Catalog.ts"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { LongCode } from "../../ui/code/LongCode.tsx"
import { humanized } from "./CallWords.ts"

interface ArgumentFieldsProps {
  readonly args: Json
  /** The tool's name, whose schema has titles for its arguments. */
  readonly tool: string
  /** The name for a screen reader. */
  readonly label: string
  /** Arguments that are shown in another way; as JSON all are. */
  readonly hidden?: ReadonlyArray<string>
}

/** Longer texts are shown in steps. */
const LONG = 4000

const titleIn = (tool: string, key: string): string => {
  const properties = toolsByName.value.get(tool)?.inputSchema["properties"]
  const schema = isObject(properties) ? properties[key] : undefined
  const title = isObject(schema) ? schema["title"] : undefined
  return typeof title === "string" && title !== "" ? title : humanized(key)
}

const isPlain = (value: Json): value is string | number | boolean | null => value === null || typeof value !== "object"

const Value = ({ label, value }: { readonly label: string; readonly value: Json }) => {
  if (typeof value === "string" && value.length > LONG) return <LongCode code={value} isWrapped label={label} />
  if (isPlain(value)) return <>{String(value)}</>
  if (Array.isArray(value) && value.every(isPlain)) return <>{value.join("\n")}</>
  return <CodeBlock code={JSON.stringify(value, null, 2)} language="json" isWrapped label={label} />
}

const Fields = ({ args, hidden = [], tool }: Pick<ArgumentFieldsProps, "args" | "hidden" | "tool">) => {
  const all = isObject(args) ? Object.entries(args) : []
  if (all.length === 0) return <p class="muted">{words.noArguments}</p>
  const entries = all.filter(([key]) => !hidden.includes(key))
  return (
    <dl class="fields">
      {entries.map(([key, value]) => (
        <Fragment key={key}>
          <dt title={key}>{titleIn(tool, key)}</dt>
          <dd>
            <Value label={key} value={value} />
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

export const ArgumentFields = ({ args, hidden, label, tool }: ArgumentFieldsProps) => {
  const isJson = useSignal(!isObject(args))
  return (
    <div class="arguments-of" role="group" aria-label={label}>
      {isJson.value
        ? <CodeBlock code={JSON.stringify(args, null, 2)} language="json" isWrapped label={`${label}, ${words.json}`} />
        : <Fields args={args} tool={tool} {...(hidden === undefined ? {} : { hidden })} />}
      {isObject(args) && Object.keys(args).length > 0
        ? (
          <Button kind="plain" isSmall aria-pressed={isJson.value} onClick={() => isJson.value = !isJson.value}>
            {words.json}
          </Button>
        )
        : null}
    </div>
  )
}
