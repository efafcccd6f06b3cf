/** The arguments of a call that waits, to be changed before it is allowed: a form of the tool's schema, or JSON. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { ApprovalPart, Json, JsonObject } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { toolsByName } from "../../state/Catalog.ts"
import { ArgumentsDraft } from "../../tools/ArgumentsDraft.ts"
import { ArgumentsEditor } from "../../tools/ArgumentsEditor.tsx"

interface ApprovalEditProps {
  readonly approval: ApprovalPart
  /** Gets what is changed here, before anything is. */
  readonly onBegin: (args: ArgumentsDraft) => void
}

const PLAIN: ReadonlySet<string> = new Set(["string", "number", "boolean"])

/** A field for each argument, where no list has the schema: of tools that are built in, or of a server that went away. */
const guessed = (args: JsonObject): JsonObject => {
  const schemaOf = (value: Json): JsonObject => PLAIN.has(typeof value) ? { type: typeof value } : {}
  return { properties: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, schemaOf(value)])) }
}

export const ApprovalEdit = ({ approval: { args, name }, onBegin }: ApprovalEditProps) => {
  const editor = useRef<HTMLDivElement>(null)
  const draft = useMemo(() => {
    const given = isObject(args) ? args : {}
    return new ArgumentsDraft(toolsByName.peek().get(name)?.inputSchema ?? guessed(given), given)
  }, [])
  useLayoutEffect(() => {
    onBegin(draft)
    editor.current?.querySelector<HTMLElement>("input, textarea, select")?.focus()
  }, [])
  return (
    <div ref={editor}>
      <ArgumentsEditor args={draft} />
    </div>
  )
}
