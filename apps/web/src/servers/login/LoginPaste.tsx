/** The end of a login whose browser cannot come back to this server: its last address, pasted. */
import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { inOneLine } from "../../api/Client.ts"
import type { Login } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { paste } from "./OpenLogins.ts"

export const LoginPaste = ({ login }: { readonly login: Login }) => {
  const typed = useSignal("")
  const { isBusy, refused, run } = useAttempt()
  const field = useRef<HTMLInputElement>(null)
  const send = async () => {
    if (!await run(() => paste(login, typed.value.trim()))) field.current?.focus()
  }
  return (
    <form
      class="paste"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy.value && typed.value.trim() !== "") void send()
      }}
    >
      <LabelledField
        label={texts.endAddress}
        about={texts.endAddressAbout}
        wrong={refused.value === null ? null : inOneLine(refused.value)}
      >
        {(props) => (
          <div class="row paste-row">
            <input
              {...props}
              ref={field}
              class="input mono grow"
              type="url"
              autocomplete="off"
              spellcheck={false}
              value={typed.value}
              onInput={(event) => {
                typed.value = event.currentTarget.value
                refused.value = null
              }}
            />
            <Button type="submit" disabled={isBusy.value || typed.value.trim() === ""}>
              {isBusy.value ? <Spinner label={texts.sending} /> : null}
              {texts.finish}
            </Button>
          </div>
        )}
      </LabelledField>
    </form>
  )
}
