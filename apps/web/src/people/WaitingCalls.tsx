/** The calls of everybody that wait for a yes, for admins: they see no arguments, and can only deny. Read anew while it is shown. */
import type * as Asking from "@boocode/chat-server/api/AskingApi"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get, path, post } from "../api/Client.ts"
import { minute } from "../messages/Numbers.ts"
import { waitingCalls as words } from "../messages/people/UsageMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { getJson } from "../state/Loading.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { focus } from "../ui/Focus.ts"
import { LabelledField } from "../ui/forms/LabelledField.tsx"
import { Letter } from "../ui/Letter.tsx"
import { Row } from "../ui/lists/Row.tsx"

type Waiting = typeof Asking.Waiting.Encoded

/** Nothing tells an admin of the chats of others. */
const EVERY_MILLIS = 2000

export const WaitingCalls = () => {
  const found = useSignal<ReadonlyArray<Waiting> | null>(null)
  const denied = useSignal<Waiting | null>(null)
  const read = () =>
    getJson(get<{ readonly waiting: ReadonlyArray<Waiting> }>("admin/approvals"), ({ waiting }) => {
      found.value = waiting
    })
  useEffect(() => {
    void read()
    const timer = setInterval(() => document.hidden || void read(), EVERY_MILLIS)
    return () => clearInterval(timer)
  }, [])
  const calls = found.value
  if (calls === null) return null
  if (calls.length === 0) return <p class="muted">{words.none}</p>
  return (
    <section class="people-part" aria-label={words.heading}>
      <h2 class="section-heading">
        {words.heading} <Badge tone="warn">{calls.length}</Badge>
      </h2>
      <p class="muted">{words.about}</p>
      <ul class="items">
        {calls.map((call) => (
          <Row
            key={call.id}
            label={words.label(call.name, call.user ?? "")}
            icon={<Letter name={call.user ?? call.name} />}
            title={<code>{call.name}</code>}
            meta={metaOf(call)}
            action={
              <Button
                isSmall
                aria-label={words.denyOf(call.name, call.user ?? "")}
                onClick={() => denied.value = call}
              >
                {words.deny}
              </Button>
            }
          />
        ))}
      </ul>
      {denied.value === null
        ? null
        : (
          <DenyDialog
            call={denied.value}
            onClose={() => denied.value = null}
            onDenied={() => {
              denied.value = null
              void read()
            }}
          />
        )}
    </section>
  )
}

const metaOf = ({ class: kind, server, since, user }: Waiting): string =>
  [
    ...user === null ? [] : [user],
    server === null ? words.builtIn : words.ofServer(server),
    ...kind === null || kind === undefined ? [] : [kind],
    words.since(minute(since))
  ].join(" · ")

interface DenyProps {
  readonly call: Waiting
  readonly onClose: () => void
  readonly onDenied: () => void
}

const DenyDialog = ({ call: { id, name, user }, onClose, onDenied }: DenyProps) => {
  const reason = useSignal("")
  const { isBusy, refused, run } = useAttempt()
  const deny = () => {
    const said = reason.value.trim()
    return post<null>(path("admin", "approvals", id), { decision: "deny", ...said === "" ? {} : { reason: said } })
  }
  return (
    <Dialog title={words.denyTitle(name)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run(() => deny().then(onDenied))
        }}
      >
        <LabelledField label={words.reason} about={words.reasonAbout(user ?? words.owner)}>
          {(bind) => (
            <textarea
              {...bind}
              class="input"
              ref={focus}
              rows={2}
              value={reason.value}
              onInput={(event) => reason.value = event.currentTarget.value}
            />
          )}
        </LabelledField>
        <Refused why={refused.value} />
        <div class="row">
          <Button type="submit" class="danger-fill" disabled={isBusy.value}>{words.deny}</Button>
        </div>
      </form>
    </Dialog>
  )
}
