/** Lets an MCP client in: its name and what it is offered, then its token, which is shown once. */
import { useSignal } from "@preact/signals"
import type { AddedClient } from "../api/Types.ts"
import { clients as words } from "../messages/clients/ClientsMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { Copy } from "../ui/code/Copy.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { focus } from "../ui/Focus.ts"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { ShownSecret } from "../ui/forms/ShownSecret.tsx"
import { TextField } from "../ui/forms/TextField.tsx"
import { addClient } from "./ClientsClient.ts"

export const AddClient = ({ profiles }: { readonly profiles: ReadonlyArray<string> }) => {
  const isOpen = useSignal(false)
  return (
    <>
      <p>
        <Button icon="plus" onClick={() => isOpen.value = true}>{words.add}</Button>
      </p>
      {isOpen.value ? <AddDialog profiles={profiles} onClose={() => isOpen.value = false} /> : null}
    </>
  )
}

interface AddDialogProps {
  readonly profiles: ReadonlyArray<string>
  readonly onClose: () => void
}

const AddDialog = ({ onClose, profiles }: AddDialogProps) => {
  const added = useSignal<AddedClient | null>(null)
  const name = useSignal("")
  const profile = useSignal(profiles[0] ?? "default")
  const { isBusy, refused, run } = useAttempt()
  if (added.value !== null) return <Token of={added.value} onClose={onClose} />
  return (
    <Dialog title={words.add} onClose={onClose}>
      <form
        class="stack"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void run(async () => {
            added.value = await addClient(name.value.trim(), profile.value)
          })
        }}
      >
        <TextField label={words.name} about={words.nameAbout} value={name} inputRef={focus} required maxLength={64} />
        <LabelledField label={words.offered}>
          {(bind) => (
            <select
              class="input"
              {...bind}
              value={profile.value}
              onChange={(event) => profile.value = event.currentTarget.value}
            >
              {profiles.map((one) => <option key={one} value={one}>{one}</option>)}
            </select>
          )}
        </LabelledField>
        <Refused why={refused.value} />
        <div class="row">
          <Button type="submit" kind="primary" disabled={isBusy.value}>{words.addAction}</Button>
        </div>
      </form>
    </Dialog>
  )
}

const Token = ({ of: { name, token }, onClose }: { readonly of: AddedClient; readonly onClose: () => void }) => (
  <ShownSecret title={words.token(name)} about={words.tokenAbout} copy={words.copyToken} text={token} onClose={onClose}>
    <p class="row">
      <code>{`${location.origin}/mcp`}</code>
      <Copy
        text={() => `${location.origin}/mcp`}
      />
    </p>
  </ShownSecret>
)
