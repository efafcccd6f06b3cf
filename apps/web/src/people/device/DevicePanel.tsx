/** The route `#/device`: a person types the code of a command, sees which machine it is, and allows or denies it. */
import type { WaitingDevice } from "@boocode/chat-server/api/users/DeviceApi"
import { useSignal } from "@preact/signals"
import { get, path, post } from "../../api/Client.ts"
import { device as words } from "../../messages/people/DeviceMessages.ts"
import { people } from "../../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Fact, Panel } from "../../state/Panel.tsx"
import { Button } from "../../ui/Button.tsx"
import { focus } from "../../ui/Focus.ts"
import { TextField } from "../../ui/forms/TextField.tsx"
import "../../ui/panels.css"
import "../people.css"

type Waiting = typeof WaitingDevice.Encoded

export const DevicePanel = () => {
  const code = useSignal("")
  const found = useSignal<Waiting | null>(null)
  const done = useSignal<boolean | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const look = () =>
    run(async () => {
      found.value = await get<Waiting>(path("me", "device", code.value.trim()))
    })
  const decide = (allow: boolean) =>
    run(async () => {
      await post<null>(path("me", "device", code.value.trim()), { allow })
      done.value = allow
    })
  return (
    <Panel title={words.title}>
      {done.value !== null
        ? (
          <div role="status">
            <p>{done.value ? words.allowed : words.denied}</p>
            {done.value ? <p class="muted">{words.allowedHint}</p> : null}
          </div>
        )
        : found.value === null
        ? (
          <form
            class="stack people-form"
            onSubmit={(event) => {
              event.preventDefault()
              void look()
            }}
          >
            <p>{words.about}</p>
            <TextField
              label={words.code}
              value={code}
              autocomplete="one-time-code"
              autocapitalize="characters"
              spellcheck={false}
              inputRef={focus}
              required
            />
            <Button kind="primary" type="submit" disabled={isBusy.value || code.value.trim() === ""}>
              {words.next}
            </Button>
          </form>
        )
        : (
          <section class="stack people-form" aria-label={words.asks(found.value.device)}>
            <h2 class="section-heading">{words.asks(found.value.device)}</h2>
            <p class="muted">{words.asksAbout}</p>
            <dl class="about-list">
              <Fact name={words.may}>{found.value.scopes.map((scope) => people.scopes[scope]).join(", ")}</Fact>
              <Fact name={words.code}>{code.value.trim().toUpperCase()}</Fact>
            </dl>
            <p class="row">
              <Button kind="primary" disabled={isBusy.value} onClick={() => void decide(true)}>{words.allow}</Button>
              <Button disabled={isBusy.value} onClick={() => void decide(false)}>{words.deny}</Button>
            </p>
          </section>
        )}
      <Refused why={refused.value} />
    </Panel>
  )
}
