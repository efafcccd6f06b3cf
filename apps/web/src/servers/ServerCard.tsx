/** One server in the list: how it stands, what is the matter, and its buttons. */
import type { ServerStatus } from "../api/Types.ts"
import { address } from "../state/Route.ts"
import { LoginBox } from "./login/LoginBox.tsx"
import { ServerActions } from "./ServerActions.tsx"
import { Rejected, ServerError, ServerWarnings } from "./ServerTroubles.tsx"
import { StateBadge } from "./StateBadge.tsx"
import { facts, shown } from "./StateWords.ts"
import { hasQuestion, TrustBox } from "./trust/TrustBox.tsx"

export const ServerCard = ({ status }: { readonly status: ServerStatus }) => (
  <li class="server-card" aria-label={`${status.name}, ${shown(status).words}`}>
    <div class="server-head">
      <h2>
        <a href={address("servers", status.name)}>{status.name}</a>
      </h2>
      <StateBadge status={status} />
      <p class="server-facts">{facts(status).join(" · ")}</p>
      <ServerActions status={status} />
    </div>
    <ServerError status={status} />
    <LoginBox status={status} />
    <ServerWarnings status={status} />
    {hasQuestion(status) ? <TrustBox status={status} /> : null}
    <Rejected status={status} />
  </li>
)
