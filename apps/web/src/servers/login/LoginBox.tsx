/** Logging in to a server: where to go, waiting for the person to come back, and the way for another machine's browser. */
import { inOneLine, type Refusal } from "../../api/Client.ts"
import type { Login, ServerStatus } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { login as words } from "../../messages/ServersMessages.ts"
import { openable } from "../../questions/Addresses.ts"
import { Countdown } from "../../questions/Countdown.tsx"
import "../../questions/questions.css"
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { WholeUrl } from "../../questions/WholeUrl.tsx"
import { type Attempt, Refused, useAttempt } from "../../state/Attempt.tsx"
import { tellError } from "../../state/Loading.ts"
import { Button, OpenButton } from "../../ui/Button.tsx"
import { focus } from "../../ui/Focus.ts"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { neededToken } from "../entry/Obstacle.ts"
import { begin, giveUp, logins, paste } from "./OpenLogins.ts"

export const LoginBox = ({ status }: { readonly status: ServerStatus }) => {
  const { auth, name, state } = status
  const login = logins.value.get(name)
  const isAway = state === "disabled" || state === "needs-approval"
  const isOffered = state === "needs-auth" && neededToken(status) === null || auth !== null && !auth.signedIn && !isAway
  if (login === undefined && !isOffered) return null
  return (
    <section class="login-box" aria-label={words.label(name)}>
      {login?.state === "waiting" ? <Waiting key={login.id} login={login} /> : <Begin name={name} />}
    </section>
  )
}

/** Why the last try came to nothing. */
export const loginProblem = (name: string, refused: Refusal | null): Refusal | null => {
  const login = logins.value.get(name)
  return refused ?? (login?.state === "failed" ? { message: login.message ?? "", hint: login.hint } : null)
}

interface LoginButtonProps {
  readonly name: string
  readonly attempt: Attempt
}

export const LoginButton = ({ attempt: { isBusy, refused, run }, name }: LoginButtonProps) => (
  <Button
    kind="primary"
    aria-label={words.logInTo(name)}
    aria-disabled={isBusy.value}
    onClick={() => isBusy.value || void run(() => begin(name))}
  >
    {isBusy.value ? <Spinner label={words.askingWhere} /> : null}
    {loginProblem(name, refused.value) === null ? words.logIn : words.logInAgain}
  </Button>
)

const Begin = ({ name }: { readonly name: string }) => {
  const attempt = useAttempt()
  return (
    <>
      <Refused why={loginProblem(name, attempt.refused.value)} />
      <div class="row">
        <LoginButton name={name} attempt={attempt} />
      </div>
    </>
  )
}

const Waiting = ({ login }: { readonly login: Login }) => {
  const { expiresAt, server, url } = login
  const address = openable(url ?? "")
  useEffect(() => () => {
    // The element that had the focus is gone with the login.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.getElementById("content")?.focus()
    })
  }, [])
  return (
    <>
      <p class="login-wait">
        <Spinner label="" />
        <span role="status">
          {url === null
            ? words.loggingIn(server)
            : words.atAddress(server)}
        </span>
        <Countdown until={expiresAt} what={words.toLogIn(server)} />
      </p>
      {url === null ? null : <WholeUrl url={url} />}
      <div class="row">
        {address === null ? null : <OpenButton href={address} ref={focus}>{words.open}</OpenButton>}
        <Button aria-label={words.cancelOf(server)} onClick={() => void giveUp(login).catch(tellError)}>
          {words.cancel}
        </Button>
      </div>
      {url === null ? null : login.returns
        ? (
          <details class="fold">
            <summary>{words.otherMachine}</summary>
            <LoginPaste login={login} />
          </details>
        )
        : <LoginPaste login={login} />}
    </>
  )
}

/** For a browser that cannot come back to this server: its last address, pasted. */
const LoginPaste = ({ login }: { readonly login: Login }) => {
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
