/** Replaces one's own password. */
import { useSignal } from "@preact/signals"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { TextField } from "../../ui/forms/TextField.tsx"
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
        <TextField label={words.before} value={before} isSecret autocomplete="current-password" required />
        <TextField
          label={words.after}
          about={words.afterAbout}
          value={after}
          isSecret
          autocomplete="new-password"
          required
          minLength={10}
        />
        <Refused why={refused.value} />
        <div class="row">
          <Button type="submit" disabled={isBusy.value}>{words.change}</Button>
        </div>
      </form>
    </section>
  )
}
