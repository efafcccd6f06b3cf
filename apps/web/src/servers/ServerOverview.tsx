/** How one server stands: what is the matter, what it calls itself and offers, and what it says of its use. */
import type { ServerStatus } from "../api/Types.ts"
import { duration, short } from "../messages/Numbers.ts"
import { Fact } from "../state/Panel.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Instructions } from "./Instructions.tsx"
import { LoginBox } from "./login/LoginBox.tsx"
import { SignedIn } from "./login/SignedIn.tsx"
import { Rejected, ServerError, ServerWarnings } from "./ServerTroubles.tsx"
import { offered, TRANSPORTS } from "./StateWords.ts"
import { hasQuestion, TrustBox } from "./trust/TrustBox.tsx"

export const ServerOverview = ({ status }: { readonly status: ServerStatus }) => {
  const { instructions, name } = status
  return (
    <>
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
      <Fact name="Declared in">{source}</Fact>
      <Fact name="Transport">{TRANSPORTS[status.transport ?? ""] ?? "unknown"}</Fact>
      {serverInfo === null ? null : <Fact name="Calls itself">{serverInfo.name} {serverInfo.version}</Fact>}
      {protocolVersion === null ? null : <Fact name="Protocol">{protocolVersion}</Fact>}
      {auth?.signedIn === true
        ? (
          <Fact name="Login">
            <SignedIn name={name} auth={auth} />
          </Fact>
        )
        : null}
      {offers.length === 0 ? null : (
        <Fact name="Offers">
          <span class="offers-row">{offers.map((offer) => <Badge key={offer}>{offer}</Badge>)}</span>
        </Fact>
      )}
      <Fact name="Tools">
        {status.tools} for models, about {short(status.tokens)} tokens
        {status.undeclared > 0 ? `, ${status.undeclared} of them do not say whether they only read` : ""}
        {asks > 0 ? `, ${asks} ask a person first` : ""}
      </Fact>
      {connectMillis === null ? null : (
        <Fact name="Came up in">
          {duration(connectMillis)}
          {steps.length > 1
            ? <span class="muted">: {steps.map(({ millis, step }) => `${step} ${duration(millis)}`).join(", ")}</span>
            : null}
        </Fact>
      )}
      <Fact name="Restarts">{restarts}</Fact>
      {idle ? <Fact name="Now">idle: nothing runs, and its next call starts it</Fact> : null}
      {pid === null ? null : <Fact name="Process">{pid}</Fact>}
    </dl>
  )
}
