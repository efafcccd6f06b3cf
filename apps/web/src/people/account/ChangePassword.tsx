/** Replaces one's own password. */
import { useSignal } from "@preact/signals"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { changePassword } from "../PeopleClient.ts"

export const ChangePassword = () => {
  const before = useSignal("")
  const after = useSignal("")
  const { isBusy, refused, run } = useAttempt()
  return (
    <section class="people-part" aria-label={words.changePassword}>
      <h2 class="section-heading">{words.changePassword}</h2>
      <form
        class="stack people-form"
        onSubmit={(event) => {
          event.preventDefault()
          void run(() => changePassword(before.value, after.value).then(() => location.reload()))
        }}
      >
        <LabelledField label={words.before}>
          {(bind) => (
            <input
              class="input"
              {...bind}
              type="password"
              autocomplete="current-password"
              required
              value={before.value}
              onInput={(event) => before.value = event.currentTarget.value}
            />
          )}
        </LabelledField>
        <LabelledField label={words.after} about={words.afterAbout}>
          {(bind) => (
            <input
              class="input"
              {...bind}
              type="password"
              autocomplete="new-password"
              required
              minLength={10}
              value={after.value}
              onInput={(event) => after.value = event.currentTarget.value}
            />
          )}
        </LabelledField>
        <Refused why={refused.value} />
        <div class="row">
          <Button type="submit" disabled={isBusy.value}>{words.change}</Button>
        </div>
      </form>
    </section>
  )
}
