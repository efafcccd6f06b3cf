/** The arguments of a tool that a person calls by `/NAME`: a form of its schema, or JSON. */
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { JsonObject, Tool } from "../../api/Types.ts"
import { toFirstWrong } from "../../forms/FirstWrong.ts"
import { toolForm as words } from "../../messages/ChatMessages.ts"
import { ArgumentsDraft } from "../../tools/ArgumentsDraft.ts"
import { ArgumentsEditor } from "../../tools/ArgumentsEditor.tsx"
import { ToolDescription } from "../../tools/ToolBadges.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"

interface ToolFormProps {
  readonly tool: Tool
  /** The arguments that were typed already; null for none. */
  readonly given: JsonObject | null
  readonly onClose: () => void
  readonly onRun: (args: JsonObject) => void
}

export const ToolForm = ({ given, onClose, onRun, tool }: ToolFormProps) => {
  const args = useMemo(() => new ArgumentsDraft(tool.inputSchema, given), [])
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus()
  }, [])
  const run = () => {
    const value = args.checked()
    if (value === undefined) toFirstWrong(form.current)
    else onRun(value)
  }
  return (
    <Dialog title={tool.title ?? tool.name} isWide onClose={onClose}>
      <form
        class="stack"
        noValidate
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          run()
        }}
      >
        <ToolDescription tool={tool} />
        <ArgumentsEditor args={args} />
        <footer>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" icon="play">{words.run}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
