/** Who let this program in to a server, for what and until when; and the way out. */
import type { ServerStatus } from "../../api/Types.ts"
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
  const leave = () => run(() => logout(name).then(() => tell({ text: `Logged out of ${name}.` })))
  return (
    <>
      <p>
        Logged in{issuer === null ? "" : ` at ${issuer}`}
        {scopes.length === 0 ? "" : `, for ${scopes.join(", ")}`}
        {expiresAt === null
          ? "."
          : `. The token holds until ${until(expiresAt)}, and is renewed where that is offered.`}
      </p>
      <Button isSmall aria-label={`Log out of ${name}`} disabled={isBusy.value} onClick={() => void leave()}>
        {isBusy.value ? <Spinner label="logging out" /> : null}
        Log out
      </Button>
      <Refused why={refused.value} />
    </>
  )
}
