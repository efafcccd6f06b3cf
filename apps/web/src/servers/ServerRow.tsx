/** One server in the list: how it stands in a sentence, what is the matter, and the one thing to do about it. */
import { useSignal } from "@preact/signals"
import type { ServerStatus } from "../api/Types.ts"
import { entry as entries } from "../messages/EntryMessages.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import { SecretDialog } from "../people/account/OwnSecrets.tsx"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { isAdmin } from "../state/people/Me.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Letter } from "../ui/Letter.tsx"
import { Row } from "../ui/lists/Row.tsx"
import { missingVariable, neededToken, wrongKey } from "./entry/Obstacle.ts"
import { VariableDialog } from "./entry/VariableDialog.tsx"
import { OutdatedLine } from "./gallery/OutdatedLine.tsx"
import { LoginBox, LoginButton, loginProblem } from "./login/LoginBox.tsx"
import { logins } from "./login/OpenLogins.ts"
import { RemoveServer } from "./RemoveServer.tsx"
import { actionsId, detailsOf, EditLink, MainAction, menuItems, useDoing } from "./ServerActions.tsx"
import { Rejected, ServerError, ServerWarnings } from "./ServerTroubles.tsx"
import { facts, shown } from "./StateWords.ts"
import { TrustBox } from "./trust/TrustBox.tsx"

/** The meaning of a state for the person, where its error does not say it. */
const sentence = (status: ServerStatus): string | null => {
  const { downloadMillis, error, idle, state, toolsChanged } = status
  const token = neededToken(status)
  if (state === "needs-auth") return token === null ? words.wantsLogin : words.wantsToken(token)
  if (state === "needs-approval") return words.wantsApproval
  if (toolsChanged > 0) return words.toolsChanged(toolsChanged)
  if (state === "connecting") return downloadMillis === undefined ? words.starting : words.downloading
  return idle && error === null ? words.wakes : null
}

export const ServerRow = ({ status }: { readonly status: ServerStatus }) => {
  const doing = useDoing(status)
  const isRemoving = useSignal(false)
  const isEntering = useSignal(false)
  const { asks, name, sharing, state, toolsChanged } = status
  const token = neededToken(status)
  const said = sentence(status)
  const variable = missingVariable(status)
  const attempt = useAttempt()
  const isLoggingIn = logins.value.get(name)?.state === "waiting"
  return (
    <Row
      label={words.label(name, shown(status).words)}
      icon={<Letter name={name} isLarge />}
      title={<a href={detailsOf(name)}>{name}</a>}
      meta={
        <>
          {facts(status).join(" · ")} {asks > 0 ? <Badge tone="warn">{words.facts.ask(asks)}</Badge> : null}
        </>
      }
      action={token !== null
        ? (
          <Button kind="primary" aria-label={words.giveTokenOf(token, name)} onClick={() => isEntering.value = true}>
            {words.giveToken}
          </Button>
        )
        : !isAdmin.value && (sharing === "shared" || state !== "needs-auth")
        ? null
        : state === "needs-auth" && !isLoggingIn
        ? <LoginButton name={name} attempt={attempt} />
        : variable !== null
        ? (
          <Button aria-label={entries.variable.enterOf(variable, name)} onClick={() => isEntering.value = true}>
            {entries.variable.enter}
          </Button>
        )
        : state === "failed" && wrongKey(status) !== null
        ? <EditLink name={name} />
        : <MainAction status={status} doing={doing} />}
      actionsId={actionsId(name)}
      menu={{
        label: words.moreFor(name),
        items: menuItems(status, doing, { isInList: true, onRemove: () => isRemoving.value = true })
      }}
    >
      {said === null ? null : <p class="item-about">{said}</p>}
      {state === "needs-auth" || state === "needs-approval" ? null : <ServerError status={status} />}
      <OutdatedLine server={name} />
      <Refused why={doing.refused} />
      <Refused why={loginProblem(name, attempt.refused.value)} />
      {isLoggingIn ? <LoginBox status={status} /> : null}
      <ServerWarnings status={status} />
      {state === "needs-approval" || toolsChanged > 0 ? <TrustBox status={status} /> : null}
      <Rejected status={status} />
      {isEntering.value && variable !== null
        ? <VariableDialog server={name} variable={variable} onClose={() => isEntering.value = false} />
        : null}
      {isEntering.value && token !== null
        ? (
          <SecretDialog
            name={token}
            onClose={() => isEntering.value = false}
            onSaved={() => isEntering.value = false}
          />
        )
        : null}
      {isRemoving.value ? <RemoveServer status={status} onClose={() => isRemoving.value = false} /> : null}
    </Row>
  )
}
