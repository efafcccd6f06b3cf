/** The route `#/settings/people`: who may use this server, for its admins. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { RemoveDialog } from "../forms/RemoveDialog.tsx"
import { day, moment } from "../messages/Numbers.ts"
import { people as words } from "../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Panel } from "../state/Panel.tsx"
import { Button } from "../ui/Button.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Letter } from "../ui/Letter.tsx"
import { Row } from "../ui/lists/Row.tsx"
import "../ui/panels.css"
import { Spinner } from "../ui/Spinner.tsx"
import { AddPerson } from "./AddPerson.tsx"
import "./people.css"
import { ShownSecret } from "../ui/forms/ShownSecret.tsx"
import {
  changePerson,
  type Invitation,
  invitePerson,
  type KnownPerson,
  listPeople,
  removePerson
} from "./PeopleClient.ts"
import { WaitingCalls } from "./WaitingCalls.tsx"

export const PeoplePanel = (_: PanelProps) => {
  const found = useSignal<ReadonlyArray<KnownPerson> | null>(null)
  const invited = useSignal<Invitation | null>(null)
  const { refused, run } = useAttempt()
  const read = () =>
    run(async () => {
      found.value = (await listPeople()).users
    })
  useEffect(() => void read(), [])
  const { value } = found
  return (
    <Panel title={words.title} isOfSettings>
      <p>{value?.length === 0 ? words.alone : words.about}</p>
      <Refused why={refused.value} />
      {value === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {value === null ? null : (
        <>
          {value.length === 0 ? null : <WaitingCalls />}
          <ul class="items">
            {value.map((person) => (
              <PersonRow
                key={person.id}
                person={person}
                onChanged={() => void read()}
                onInvited={(made) => invited.value = made}
              />
            ))}
          </ul>
          <AddPerson onAdded={(made) => invited.value = made} />
        </>
      )}
      {invited.value === null ? null : (
        <ShownSecret
          title={words.linkTitle(invited.value.user.name)}
          about={words.linkAbout}
          copy={words.copyLink}
          text={invited.value.link}
          // With the first person this browser has to sign in: what comes next says so.
          onClose={() => {
            invited.value = null
            void read()
          }}
        />
      )}
    </Panel>
  )
}

const metaOf = ({ groups, invitedUntil, isFromProvider, lastSeen, role }: KnownPerson): string =>
  [
    words.roles[role],
    ...groups,
    ...isFromProvider ? [words.fromProvider] : [],
    ...invitedUntil === null ? [] : [words.invited(day(invitedUntil))],
    lastSeen === null ? words.never : words.seen(moment(lastSeen))
  ].join(" · ")

interface PersonRowProps {
  readonly person: KnownPerson
  readonly onChanged: () => void
  readonly onInvited: (invitation: Invitation) => void
}

const PersonRow = ({ onChanged, onInvited, person }: PersonRowProps) => {
  const { id, lastSeen, name, role } = person
  const { isBusy, refused, run } = useAttempt()
  const isAsked = useSignal(false)
  const invite = () => void run(async () => onInvited(await invitePerson(id)))
  const other = role === "admin" ? "member" : "admin"
  return (
    <Row
      label={name}
      level={2}
      icon={<Letter name={name} />}
      title={name}
      meta={metaOf(person)}
      action={lastSeen === null
        ? (
          <Button isSmall aria-label={words.inviteOf(name)} disabled={isBusy.value} onClick={invite}>
            {words.invite}
          </Button>
        )
        : null}
      menu={{
        label: words.more(name),
        items: [
          ...lastSeen === null ? [] : [{ text: words.newPassword, icon: "link" as const, act: invite }],
          {
            text: other === "admin" ? words.makeAdmin : words.makeMember,
            icon: "agent",
            act: () => void run(() => changePerson(id, other).then(onChanged))
          },
          { text: words.remove, icon: "trash", isDangerous: true, act: () => isAsked.value = true }
        ]
      }}
    >
      <Refused why={refused.value} />
      {isAsked.value
        ? (
          <RemoveDialog
            title={words.removeTitle(name)}
            action={words.removeAction}
            onClose={() => isAsked.value = false}
            request={() => removePerson(id)}
            onRemoved={onChanged}
          >
            <p>{words.removeAbout}</p>
          </RemoveDialog>
        )
        : null}
    </Row>
  )
}
