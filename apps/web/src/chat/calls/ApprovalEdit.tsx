/** The arguments of a call that waits, to be changed before it is allowed: a form of the tool's schema, or JSON. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { ApprovalPart } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { toolsByName } from "../../state/Catalog.ts"
import { ArgumentsDraft, guessedSchema } from "../../tools/ArgumentsDraft.ts"
import { ArgumentsEditor } from "../../tools/ArgumentsEditor.tsx"

interface ApprovalEditProps {
  readonly approval: ApprovalPart
  /** Gets what is changed here, before anything is. */
  readonly onBegin: (args: ArgumentsDraft) => void
}

export const ApprovalEdit = ({ approval: { args, name }, onBegin }: ApprovalEditProps) => {
  const editor = useRef<HTMLDivElement>(null)
  const draft = useMemo(() => {
    const given = isObject(args) ? args : {}
    // No list has the schema of a tool that is built in, or of a server that went away.
    return new ArgumentsDraft(toolsByName.peek().get(name)?.inputSchema ?? guessedSchema(given), given)
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
