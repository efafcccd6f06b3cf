/** Asks for the token, on a server of one person that is bound to more than this machine. */
import { useState } from "preact/hooks"
import { inOneLine } from "../api/Client.ts"
import { shell } from "../messages/ShellMessages.ts"
import { useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { focus } from "../ui/Focus.ts"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { loginWithToken } from "./PeopleClient.ts"

export const TokenForm = () => {
  const [token, setToken] = useState("")
  const { isBusy, refused, run } = useAttempt()
  // From the beginning: everything that was refused is asked for again.
  const submit = () => run(() => loginWithToken(token.trim()).then(() => location.reload()))
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <LabelledField
        label={shell.login.token}
        about={shell.login.about}
        wrong={refused.value === null ? null : inOneLine(refused.value)}
      >
        {(props) => (
          <input
            {...props}
            class="input"
            type="password"
            autocomplete="current-password"
            ref={focus}
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        )}
      </LabelledField>
      <Button kind="primary" type="submit" disabled={isBusy.value || token.trim() === ""}>
        {shell.login.submit}
      </Button>
    </form>
  )
}
