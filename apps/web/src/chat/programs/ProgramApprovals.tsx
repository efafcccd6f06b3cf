/** Calls of one program that wait at the same moment: one question about all of them. */
import { useSignal } from "@preact/signals"
import { useContext, useEffect } from "preact/hooks"
import { answerApproval } from "../../api/Api.ts"
import type { ApprovalPart } from "../../api/Types.ts"
import { program as words } from "../../messages/chat/ProgramMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { toolsByName } from "../../state/Catalog.ts"
import { ClassBadge } from "../../tools/ToolBadges.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { Denying, What } from "../calls/ApprovalCard.tsx"
import { subjectOf, titleOf } from "../calls/CallWords.ts"
import { ChatId } from "../open/OpenChat.ts"

interface ProgramApprovalsProps {
  readonly approvals: ReadonlyArray<ApprovalPart>
  /** Shows each with a question of its own. */
  readonly onEach: () => void
}

/** A call that came a moment ago has not been read: nobody says yes to it by a click that was on its way. */
const UNREAD_MILLIS = 500

const Asked = ({ approval }: { readonly approval: ApprovalPart }) => (
  <li>
    <details class="fold">
      <summary>
        {approval.server === null ? <Icon name="tool" /> : <Letter name={approval.server} />}
        <span class="call-title" title={approval.name}>
          {titleOf(approval.name, approval.server, toolsByName.value.get(approval.name))}
        </span>
        <code class="call-subject">{subjectOf(approval.args)}</code>
        {approval.class === undefined ? null : <ClassBadge toolClass={approval.class} />}
      </summary>
      <div class="fold-body">
        <What approval={approval} />
      </div>
    </details>
  </li>
)

export const ProgramApprovals = ({ approvals, onEach }: ProgramApprovalsProps) => {
  const chat = useContext(ChatId)
  const { isBusy, refused, run } = useAttempt()
  const isDenying = useSignal(false)
  const isRead = useSignal(false)
  const ids = approvals.map(({ id }) => id)
  const all = ids.join()
  useEffect(() => {
    isRead.value = false
    const timer = setTimeout(() => isRead.value = true, UNREAD_MILLIS)
    return () => clearTimeout(timer)
  }, [all])
  const answer = (decision: "once" | "deny", reason = "") => {
    const [first = "", ...also] = ids
    return run(() => answerApproval(chat, first, { decision, also, ...(reason === "" ? {} : { reason }) }))
  }
  return (
    <div class="approval asks" role="group" aria-label={words.mayAll(approvals.length)}>
      <div class="asks-head">
        <Icon name="code" />
        <strong>{words.callsWait(approvals.length)}</strong>
      </div>
      <ul class="program-asked">{approvals.map((approval) => <Asked key={approval.id} approval={approval} />)}</ul>
      <Refused why={refused.value} />
      {isDenying.value
        ? (
          <Denying
            isBusy={isBusy.value}
            onBack={() => isDenying.value = false}
            onDeny={(reason) => void answer("deny", reason)}
          />
        )
        : (
          <div class="row">
            <Button kind="primary" disabled={isBusy.value || !isRead.value} onClick={() => void answer("once")}>
              {words.allowAll(approvals.length)}
            </Button>
            <Button kind="plain" disabled={isBusy.value} onClick={() => isDenying.value = true}>{words.denyAll}</Button>
            <span class="grow" />
            <Button kind="plain" disabled={isBusy.value} onClick={onEach}>{words.oneByOne}</Button>
          </div>
        )}
    </div>
  )
}
