/** Adds a person: name, role and groups. The outcome is the link of their invitation. */
import { useSignal } from "@preact/signals"
import { people as words } from "../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { focus } from "../ui/Focus.ts"
import { Segments } from "../ui/forms/Segments.tsx"
import { TextField } from "../ui/forms/TextField.tsx"
import { addPerson, type Invitation, type Person } from "./PeopleClient.ts"

interface AddPersonProps {
  readonly onAdded: (invitation: Invitation) => void
}

export const AddPerson = ({ onAdded }: AddPersonProps) => {
  const isOpen = useSignal(false)
  return (
    <>
      <p>
        <Button icon="plus" onClick={() => isOpen.value = true}>{words.add}</Button>
      </p>
      {isOpen.value
        ? (
          <AddDialog
            onClose={() => isOpen.value = false}
            onAdded={(made) => {
              isOpen.value = false
              onAdded(made)
            }}
          />
        )
        : null}
    </>
  )
}

const ROLES: ReadonlyArray<readonly [Person["role"], string]> = [
  ["member", words.roles.member],
  ["admin", words.roles.admin]
]

const AddDialog = ({ onAdded, onClose }: AddPersonProps & { readonly onClose: () => void }) => {
  const name = useSignal("")
  const groups = useSignal("")
  const role = useSignal<Person["role"]>("member")
  const { isBusy, refused, run } = useAttempt()
  const named = () => groups.value.split(",").map((group) => group.trim()).filter((group) => group !== "")
  return (
    <Dialog title={words.add} onClose={onClose}>
      <form
        class="stack"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void run(async () => onAdded(await addPerson(name.value.trim(), role.value, named())))
        }}
      >
        <TextField label={words.name} value={name} inputRef={focus} required maxLength={64} />
        <div class="field">
          <span class="label">{words.role}</span>
          <Segments label={words.role} options={ROLES} value={role.value} onChange={(one) => role.value = one} />
        </div>
        <TextField label={words.groups} about={words.groupsAbout} value={groups} />
        <Refused why={refused.value} />
        <div class="row">
          <Button type="submit" kind="primary" disabled={isBusy.value}>{words.addAction}</Button>
        </div>
      </form>
    </Dialog>
  )
}
