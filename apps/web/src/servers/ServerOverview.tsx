/** How one server stands: what is the matter, what it calls itself and offers, and what it says of its use. */
import type { ServerStatus } from "../api/Types.ts"
import { duration, short } from "../messages/Numbers.ts"
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { Fact } from "../state/Panel.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Instructions } from "./Instructions.tsx"
import { LoginBox } from "./login/LoginBox.tsx"
import { SignedIn } from "./login/SignedIn.tsx"
import { Rejected, ServerError, ServerWarnings } from "./ServerTroubles.tsx"
import { offered, TRANSPORTS } from "./StateWords.ts"
import { hasQuestion, TrustBox } from "./trust/TrustBox.tsx"
import { WritersSwitch } from "./WritersSwitch.tsx"

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
      <Fact name={texts.declaredIn}>{source}</Fact>
      <Fact name={texts.transport}>{TRANSPORTS[status.transport ?? ""] ?? "unknown"}</Fact>
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
      {status.writes === "off" ? null : (
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
