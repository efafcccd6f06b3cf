/** The page for a person that the server does not know: sign-in, the token of a server of one person, or an invitation. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { inOneLine, type Refusal, words as wordsOf } from "../api/Client.ts"
import { people as words } from "../messages/people/PeopleMessages.ts"
import { shell } from "../messages/ShellMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { focus } from "../ui/Focus.ts"
import { TextField } from "../ui/forms/TextField.tsx"
import { Ghost } from "../ui/Ghost.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { acceptInvitation, getInvitation, getWays, signIn, type SignInWays } from "./PeopleClient.ts"
import { TokenForm } from "./TokenForm.tsx"

const Card = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <main class="login">
    <div class="login-card">
      <Ghost width={36} />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
)

/** From the beginning, at the page itself: everything that was refused is asked for again. */
const enter = () => {
  history.replaceState(null, "", "/")
  location.reload()
}

const Unsafe = () => <Notice tone="bad" hint={words.unsafeHint}>{words.unsafe}</Notice>

export const SignInPage = () => {
  const ways = useSignal<SignInWays | null>(null)
  const { refused, run } = useAttempt()
  useEffect(() =>
    void run(async () => {
      ways.value = await getWays()
    }), [])
  const found = ways.value
  return (
    <Card title={found?.users === true ? words.signIn : shell.name}>
      <Refused why={refused.value} />
      {found === null ? refused.value === null ? <Spinner label={words.reading} /> : null : <Ways of={found} />}
    </Card>
  )
}

const Ways = ({ of: { provider, safe, token, users } }: { readonly of: SignInWays }) => {
  const hasToken = useSignal(false)
  if (!users || hasToken.value) return <TokenForm />
  return (
    <div class="stack">
      {safe ? <PasswordForm /> : <Unsafe />}
      {provider === null || !safe ? null : <LinkButton href="/oauth/sign-in" icon="login">{provider}</LinkButton>}
      {token ? <Button kind="plain" isSmall onClick={() => hasToken.value = true}>{words.withToken}</Button> : null}
    </div>
  )
}

const PasswordForm = () => {
  const name = useSignal("")
  const password = useSignal("")
  const { isBusy, refused, run } = useAttempt()
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run(() => signIn(name.value.trim(), password.value).then(enter))
      }}
    >
      <TextField label={words.name} value={name} autocomplete="username" inputRef={focus} required />
      <TextField
        label={words.password}
        wrong={refused.value === null ? null : inOneLine(refused.value)}
        value={password}
        isSecret
        autocomplete="current-password"
        required
      />
      <Button kind="primary" type="submit" disabled={isBusy.value}>{words.signIn}</Button>
    </form>
  )
}

/** The route `#/invitation/TOKEN`. */
export const InvitationPage = ({ rest: [token = ""] }: { readonly rest: ReadonlyArray<string> }) => {
  const name = useSignal<string | null>(null)
  const ended = useSignal<Refusal | null>(null)
  const isSafe = useSignal(true)
  useEffect(() => {
    const read = async () => {
      const [invitation, { safe }] = await Promise.all([getInvitation(token), getWays()])
      isSafe.value = safe
      name.value = invitation.name
    }
    read().catch((error) => {
      ended.value = wordsOf(error)
    })
  }, [token])
  if (ended.value !== null) {
    return (
      <Card title={words.invitationEnded}>
        <Refused why={ended.value} />
        <Button onClick={enter}>{words.toThePage}</Button>
      </Card>
    )
  }
  if (name.value === null) {
    return (
      <Card title={shell.name}>
        <Spinner label={words.reading} />
      </Card>
    )
  }
  return (
    <Card title={words.invitation(name.value)}>
      {isSafe.value ? <AcceptForm token={token} name={name.value} /> : <Unsafe />}
    </Card>
  )
}

const AcceptForm = ({ name, token }: { readonly token: string; readonly name: string }) => {
  const password = useSignal("")
  const { isBusy, refused, run } = useAttempt()
  const accept = (chosen: string | null) => void run(() => acceptInvitation(token, chosen).then(enter))
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        accept(password.value)
      }}
    >
      <input type="hidden" autocomplete="username" value={name} />
      <TextField
        label={words.password}
        about={words.invitationAbout}
        wrong={refused.value === null ? null : inOneLine(refused.value)}
        value={password}
        isSecret
        autocomplete="new-password"
        inputRef={focus}
        required
        minLength={10}
      />
      <Button kind="primary" type="submit" disabled={isBusy.value}>{words.accept}</Button>
      <Button disabled={isBusy.value} onClick={() => accept(null)}>{words.deviceOnly}</Button>
    </form>
  )
}
