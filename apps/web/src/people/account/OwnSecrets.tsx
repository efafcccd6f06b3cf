/** The values that a person gives for their own servers: which there are, giving one, and taking one back. Never the values. */
import { useSignal } from "@preact/signals"
import { day } from "../../messages/Numbers.ts"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { focus } from "../../ui/Focus.ts"
import { TextField } from "../../ui/forms/TextField.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { Row } from "../../ui/lists/Row.tsx"
import { putSecret, removeSecret, type Secret } from "../PeopleClient.ts"

interface OwnSecretsProps {
  readonly secrets: ReadonlyArray<Secret>
  readonly onChanged: () => void
}

export const OwnSecrets = ({ onChanged, secrets }: OwnSecretsProps) => {
  const isOpen = useSignal(false)
  return (
    <section class="people-part" aria-label={words.secrets}>
      <h2 class="section-heading">{words.secrets}</h2>
      <p class="muted">{words.secretsAbout}</p>
      {secrets.length === 0
        ? <p class="muted">{words.noSecrets}</p>
        : <ul class="items">{secrets.map((one) => <SecretRow key={one.name} secret={one} onChanged={onChanged} />)}
        </ul>}
      <p>
        <Button icon="plus" onClick={() => isOpen.value = true}>{words.addSecret}</Button>
      </p>
      {isOpen.value
        ? (
          <SecretDialog
            name={null}
            onClose={() => isOpen.value = false}
            onSaved={() => {
              isOpen.value = false
              onChanged()
            }}
          />
        )
        : null}
    </section>
  )
}

const SecretRow = ({ onChanged, secret: { name, updated } }: {
  readonly secret: Secret
  readonly onChanged: () => void
}) => {
  const { isBusy, refused, run } = useAttempt()
  return (
    <Row
      label={name}
      icon={<Letter name={name} />}
      title={name}
      meta={words.since(day(updated))}
      action={
        <Button
          isSmall
          aria-label={words.removeOf(name)}
          disabled={isBusy.value}
          onClick={() => void run(() => removeSecret(name).then(onChanged))}
        >
          {words.remove}
        </Button>
      }
    >
      <Refused why={refused.value} />
    </Row>
  )
}

interface SecretDialogProps {
  /** Null where the person says it. */
  readonly name: string | null
  readonly onClose: () => void
  readonly onSaved: () => void
}

export const SecretDialog = ({ name, onClose, onSaved }: SecretDialogProps) => {
  const typed = useSignal("")
  const value = useSignal("")
  const { isBusy, refused, run } = useAttempt()
  return (
    <Dialog title={name === null ? words.addSecret : words.secretTitle(name)} onClose={onClose}>
      <form
        class="stack"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void run(() => putSecret(name ?? typed.value.trim(), value.value).then(onSaved))
        }}
      >
        {name === null
          ? (
            <TextField
              label={words.secretName}
              about={words.secretNameAbout}
              value={typed}
              isMono
              inputRef={focus}
              required
              maxLength={100}
            />
          )
          : null}
        <TextField
          label={name ?? words.secretValue}
          about={words.secretAbout}
          value={value}
          isMono
          {...name === null ? {} : { inputRef: focus }}
          isSecret
          required
          autocomplete="off"
        />
        <Refused why={refused.value} />
        <div class="row">
          <Button type="submit" kind="primary" disabled={isBusy.value}>{words.saveSecret}</Button>
        </div>
      </form>
    </Dialog>
  )
}
