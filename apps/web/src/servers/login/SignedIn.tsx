/** Who let this program in to a server, for what and until when; and the way out. */
import type { ServerStatus } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { logout } from "../ServersClient.ts"

interface SignedInProps {
  readonly name: string
  readonly auth: NonNullable<ServerStatus["auth"]>
}

const until = (time: string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })

export const SignedIn = ({ auth: { expiresAt, issuer, scopes }, name }: SignedInProps) => {
  const { isBusy, refused, run } = useAttempt()
  const leave = () => run(() => logout(name).then(() => tell({ text: texts.loggedOutOf(name) })))
  return (
    <>
      <p>
        {texts.loggedIn(
          issuer === null ? "" : texts.atIssuer(issuer),
          scopes.length === 0 ? "" : texts.forScopes(scopes.join(", ")),
          expiresAt === null
            ? "."
            : texts.holdsUntil(until(expiresAt))
        )}
      </p>
      <Button isSmall aria-label={texts.logOutOf(name)} disabled={isBusy.value} onClick={() => void leave()}>
        {isBusy.value ? <Spinner label={texts.loggingOut} /> : null}
        {texts.logOut}
      </Button>
      <Refused why={refused.value} />
    </>
  )
}
