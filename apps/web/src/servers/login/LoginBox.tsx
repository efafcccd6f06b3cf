/** Logging in to a server: where to go, waiting for the person to come back, and the way for another machine's browser. */
import { useEffect } from "preact/hooks"
import type { Login, ServerStatus } from "../../api/Types.ts"
import { openable } from "../../questions/Addresses.ts"
import { Countdown } from "../../questions/Countdown.tsx"
import { WholeUrl } from "../../questions/WholeUrl.tsx"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { tellError } from "../../state/Loading.ts"
import { Button, OpenButton } from "../../ui/Button.tsx"
import { focus } from "../../ui/Focus.ts"
import { Spinner } from "../../ui/Spinner.tsx"
import { LoginPaste } from "./LoginPaste.tsx"
import { begin, giveUp, logins } from "./OpenLogins.ts"
import "../../questions/questions.css"

export const LoginBox = ({ status: { auth, name, state } }: { readonly status: ServerStatus }) => {
  const login = logins.value.get(name)
  const isAway = state === "disabled" || state === "needs-approval"
  const isOffered = state === "needs-auth" || auth !== null && !auth.signedIn && !isAway
  if (login === undefined && !isOffered) return null
  return (
    <section class="login-box" aria-label={`Login to ${name}`}>
      {login?.state === "waiting" ? <Waiting key={login.id} login={login} /> : <Begin name={name} failed={login} />}
    </section>
  )
}

const Begin = ({ failed, name }: { readonly name: string; readonly failed: Login | undefined }) => {
  const { isBusy, refused, run } = useAttempt()
  const problem = refused.value ?? (failed === undefined ? null : { message: failed.message ?? "", hint: failed.hint })
  return (
    <>
      <Refused why={problem} />
      <div class="row">
        <Button
          kind="primary"
          aria-label={`Log in to ${name}`}
          aria-disabled={isBusy.value}
          {...(isBusy.value ? {} : { icon: "login" as const })}
          onClick={() => isBusy.value || void run(() => begin(name))}
        >
          {isBusy.value ? <Spinner label="asking where to log in" /> : null}
          {problem === null ? "Log in" : "Log in again"}
        </Button>
      </div>
    </>
  )
}

const Waiting = ({ login }: { readonly login: Login }) => {
  const { expiresAt, server, url } = login
  const address = openable(url ?? "")
  useEffect(() => () => {
    // What had the focus is gone with the login.
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
            ? `Logging in to ${server} …`
            : `Log in to ${server} at this address. What you see here goes on by itself when you are done.`}
        </span>
        <Countdown until={expiresAt} what={`to log in to ${server}`} />
      </p>
      {url === null ? null : <WholeUrl url={url} />}
      <div class="row">
        {address === null ? null : <OpenButton href={address} ref={focus}>Open the login page</OpenButton>}
        <Button aria-label={`Cancel the login to ${server}`} onClick={() => void giveUp(login).catch(tellError)}>
          Cancel
        </Button>
      </div>
      {url === null ? null : login.returns
        ? (
          <details class="fold">
            <summary>You log in with a browser on another machine?</summary>
            <LoginPaste login={login} />
          </details>
        )
        : <LoginPaste login={login} />}
    </>
  )
}
