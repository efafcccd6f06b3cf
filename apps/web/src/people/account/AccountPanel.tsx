/** The route `#/settings/account`: where a person is signed in, the tokens of their programs, and their password. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { moment } from "../../messages/Numbers.ts"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Panel } from "../../state/Panel.tsx"
import { Button } from "../../ui/Button.tsx"
import type { PanelProps } from "../../ui/Lazy.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { Row } from "../../ui/lists/Row.tsx"
import "../../ui/panels.css"
import { Spinner } from "../../ui/Spinner.tsx"
import { ChangePassword } from "./ChangePassword.tsx"
import { OwnSecrets } from "./OwnSecrets.tsx"
import { OwnTokens } from "./OwnTokens.tsx"
import { OwnUsage } from "./OwnUsage.tsx"
import "../people.css"
import {
  endSession,
  getMe,
  getUsage,
  listSecrets,
  listSessions,
  listShares,
  listTokens,
  type Me,
  type OwnShare,
  type OwnUsageReport,
  type Secret,
  type Session,
  signOut,
  type Token
} from "../PeopleClient.ts"
import { SharedByMe } from "./SharedByMe.tsx"

interface Account {
  readonly me: Me
  readonly sessions: ReadonlyArray<Session>
  readonly tokens: ReadonlyArray<Token>
  readonly usage: OwnUsageReport
  readonly shares: ReadonlyArray<OwnShare>
  readonly secrets: ReadonlyArray<Secret>
}

export const AccountPanel = (_: PanelProps) => {
  const found = useSignal<Account | null>(null)
  const { refused, run } = useAttempt()
  const read = () =>
    run(async () => {
      const [me, { sessions }, { tokens }, { secrets }, usage, { shares }] = await Promise.all([
        getMe(),
        listSessions(),
        listTokens(),
        listSecrets(),
        getUsage(),
        listShares()
      ])
      found.value = { me, secrets, sessions, shares, tokens, usage }
    })
  useEffect(() => void read(), [])
  const { value } = found
  return (
    <Panel title={words.account} isOfSettings>
      <p>{words.accountAbout}</p>
      <Refused why={refused.value} />
      {value === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {value === null ? null : <Overview of={value} onChanged={() => void read()} />}
    </Panel>
  )
}

const Overview = ({ of: { me, secrets, sessions, shares, tokens, usage }, onChanged }: {
  readonly of: Account
  readonly onChanged: () => void
}) => {
  const { run } = useAttempt()
  return (
    <>
      <p class="row">
        {words.who(me.user.name, words.roles[me.user.role])}
        <Button isSmall onClick={() => void run(() => signOut().then(() => location.reload()))}>{words.signOut}</Button>
      </p>
      <OwnUsage report={usage} />
      <SharedByMe shares={shares} onChanged={onChanged} />
      <section class="people-part" aria-label={words.sessions}>
        <h2 class="section-heading">{words.sessions}</h2>
        <ul class="items">
          {sessions.map((session) => <SessionRow key={session.id} session={session} onChanged={onChanged} />)}
        </ul>
      </section>
      <OwnTokens tokens={tokens} isAdmin={me.user.role === "admin"} onChanged={onChanged} />
      <OwnSecrets secrets={secrets} onChanged={onChanged} />
      <ChangePassword />
    </>
  )
}

/** The browser and the system, as far as its own words tell them. */
const deviceOf = (agent: string): string => {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|CrOS|Linux)/.exec(agent)?.[1]
  const name = browser === "Edg" ? "Edge" : browser === "OPR" ? "Opera" : browser
  const known = [name, system === "Mac OS X" ? "macOS" : system].filter((word) => word !== undefined)
  return known.length > 0 ? known.join(", ") : agent === "" ? words.unknownDevice : agent.slice(0, 60)
}

const SessionRow = ({ onChanged, session: { current, device, id, lastUsed } }: {
  readonly session: Session
  readonly onChanged: () => void
}) => {
  const { isBusy, refused, run } = useAttempt()
  const name = deviceOf(device)
  const used = words.used(moment(lastUsed))
  return (
    <Row
      label={name}
      icon={<Letter name={name} />}
      title={name}
      meta={[...current ? [words.thisSession] : [], used].join(" · ")}
      action={current ? null : (
        <Button
          isSmall
          aria-label={words.endOf(name)}
          disabled={isBusy.value}
          onClick={() => void run(() => endSession(id).then(onChanged))}
        >
          {words.signOut}
        </Button>
      )}
    >
      <Refused why={refused.value} />
    </Row>
  )
}
