/** A variable that a server needs and that nothing sets: its value is asked for. */
import { useSignal } from "@preact/signals"
import { entry as words } from "../../messages/EntryMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { TextField } from "../../ui/forms/TextField.tsx"
import { applied } from "./Applied.ts"
import { putVariables } from "./EntriesClient.ts"

interface VariableDialogProps {
  readonly server: string
  readonly variable: string
  readonly onClose: () => void
}

export const VariableDialog = ({ onClose, server, variable }: VariableDialogProps) => {
  const value = useSignal("")
  const { isBusy, refused, run } = useAttempt()
  const save = async () => {
    if (await run(() => applied(server, putVariables(server, { [variable]: value.value })))) onClose()
  }
  return (
    <Dialog title={words.variable.title(variable)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) void save()
        }}
      >
        <TextField
          label={variable}
          about={words.variable.about(server)}
          value={value}
          isMono
          isSecret
          data-focus=""
          required
          autocomplete="off"
        />
        <Refused why={refused.value} />
        <footer>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>{words.variable.save}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
