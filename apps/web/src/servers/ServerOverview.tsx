/** How one server stands: what is the matter, what it calls itself and offers, and what it says of its use. */
import type { ServerStatus } from "../api/Types.ts"
import { date, duration, short } from "../messages/Numbers.ts"
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import "../questions/questions.css"
import { ServerQuote } from "../questions/ServerQuote.tsx"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Fact } from "../state/Panel.tsx"
import { tell } from "../state/Toasts.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { OutdatedLine } from "./gallery/OutdatedLine.tsx"
import { LoginBox } from "./login/LoginBox.tsx"
import { logout } from "./ServersClient.ts"
import { Rejected, ServerError, ServerWarnings } from "./ServerTroubles.tsx"
import { offered, TRANSPORTS } from "./StateWords.ts"
import { hasQuestion, TrustBox } from "./trust/TrustBox.tsx"
import { WritersSwitch } from "./WritersSwitch.tsx"

export const ServerOverview = ({ status }: { readonly status: ServerStatus }) => {
  const { instructions, name } = status
  return (
    <>
      <OutdatedLine server={name} />
      <ServerError status={status} />
      <LoginBox status={status} />
      <ServerWarnings status={status} />
      {hasQuestion(status) ? <TrustBox status={status} /> : null}
      <Facts status={status} />
      {instructions === null || instructions === "" ? null : <Instructions server={name} text={instructions} />}
      <Rejected status={status} />
    </>
  )
}

const Facts = ({ status }: { readonly status: ServerStatus }) => {
  const { asks, auth, connectMillis, idle, name, pid, protocolVersion, restarts, serverInfo, source, steps } = status
  const offers = offered(status)
  return (
    <dl class="server-about">
      <Fact name={texts.declaredIn}>{source}</Fact>
      <Fact name={texts.transport}>{TRANSPORTS[status.transport ?? ""] ?? words.unknownTransport}</Fact>
      {serverInfo === null ? null : <Fact name={texts.callsItself}>{serverInfo.name} {serverInfo.version}</Fact>}
      {protocolVersion === null ? null : <Fact name={texts.protocol}>{protocolVersion}</Fact>}
      {auth?.signedIn === true
        ? (
          <Fact name={texts.login}>
            <SignedIn name={name} auth={auth} />
          </Fact>
        )
        : null}
      {offers.length === 0 ? null : (
        <Fact name={texts.offers}>
          <span class="offers-row">{offers.map((offer) => <Badge key={offer}>{offer}</Badge>)}</span>
        </Fact>
      )}
      <Fact name={texts.tools}>
        {texts.toolFacts(
          status.tools,
          short(status.tokens),
          status.undeclared > 0 ? texts.undeclared(status.undeclared) : "",
          asks > 0 ? texts.asking(asks) : ""
        )}
      </Fact>
      {status.writes !== "ask" ? null : (
        <Fact name={texts.writing}>
          <WritersSwitch status={status} />
        </Fact>
      )}
      {connectMillis === null ? null : (
        <Fact name={texts.cameUpIn}>
          {duration(connectMillis)}
          {steps.length > 1
            ? <span class="muted">: {steps.map(({ millis, step }) => `${step} ${duration(millis)}`).join(", ")}</span>
            : null}
        </Fact>
      )}
      <Fact name={texts.restarts}>{restarts}</Fact>
      {idle ? <Fact name={texts.now}>{texts.idle}</Fact> : null}
      {pid === null ? null : <Fact name={texts.process}>{pid}</Fact>}
    </dl>
  )
}

const Instructions = ({ server, text }: { readonly server: string; readonly text: string }) => (
  <section class="instructions" aria-label={texts.instructionsOf(server)}>
    <h2 class="section-heading">{texts.instructions}</h2>
    <p class="muted small">{texts.ownWords}</p>
    <ServerQuote server={server} text={text} label={texts.saidBy(server)} />
  </section>
)

interface SignedInProps {
  readonly name: string
  readonly auth: NonNullable<ServerStatus["auth"]>
}

const SignedIn = ({ auth: { expiresAt, issuer, scopes }, name }: SignedInProps) => {
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
            : texts.holdsUntil(date(expiresAt))
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
