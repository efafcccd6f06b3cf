/** A call that waits for a person: what it would do, and what can be answered. */
import { useSignal } from "@preact/signals"
import { useContext, useEffect, useRef } from "preact/hooks"
import { answerApproval } from "../../api/Api.ts"
import type { ApprovalAnswerPart, ApprovalPart, Decision } from "../../api/Types.ts"
import { toFirstWrong } from "../../forms/FirstWrong.ts"
import { approval as words } from "../../messages/ChatMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { toolsByName } from "../../state/Catalog.ts"
import { isTyping } from "../../state/Keys.ts"
import type { ArgumentsDraft } from "../../tools/ArgumentsDraft.ts"
import { Button } from "../../ui/Button.tsx"
import { focus, goOn } from "../../ui/Focus.ts"
import { Icon } from "../../ui/Icon.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { ChatId } from "../open/OpenChat.ts"
import { ArgumentFields } from "./ArgumentFields.tsx"
import { titleOf } from "./CallWords.ts"

export const answerWords = ({ args, decision, reason }: ApprovalAnswerPart): string => {
  const said = words.answers[decision]
  if (decision === "deny" && reason !== null && reason !== "") return words.denied(reason)
  return args === undefined ? `${said}.` : words.otherArguments(said)
}

/** What the server says of the tool itself, which is only a hint, and whether it is to be believed. */
const claims = ({ annotations, isTrusted, server }: ApprovalPart): string =>
  [
    ...(server === null ? [words.builtIn] : [server]),
    annotations["readOnlyHint"] === true
      ? words.onlyReads
      : annotations["destructiveHint"] === true
      ? words.mayDelete
      : words.writes,
    ...(annotations["openWorldHint"] === true ? [words.openWorld] : []),
    ...(server === null || isTrusted ? [] : [words.notTrusted])
  ].join(" · ")

const ApprovalEdit = lazy(() => import("./ApprovalEdit.tsx").then(({ ApprovalEdit: one }) => one), null)

interface DenyingProps {
  readonly isBusy: boolean
  readonly onDeny: (reason: string) => void
  readonly onBack: () => void
}

const Denying = ({ isBusy, onBack, onDeny }: DenyingProps) => {
  const reason = useSignal("")
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        onDeny(reason.value.trim())
      }}
    >
      <input
        class="input grow"
        aria-label={words.why}
        placeholder={words.why}
        ref={focus}
        maxLength={1000}
        value={reason.value}
        onInput={(event) => reason.value = event.currentTarget.value}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return
          event.stopPropagation()
          event.preventDefault()
          onBack()
        }}
      />
      <Button type="submit" disabled={isBusy}>{words.sendNo}</Button>
      <Button kind="plain" onClick={onBack}>{words.back}</Button>
    </form>
  )
}

/** By their keys, which act while the focus is in the card: a key that was meant for something else answers nothing. */
const ANSWERS: ReadonlyArray<readonly [key: string, decision: Decision, text: string]> = [
  ["1", "once", words.once],
  ["2", "chat", words.chat],
  ["3", "always", words.always]
]

export const ApprovalCard = ({ approval }: { readonly approval: ApprovalPart }) => {
  const chat = useContext(ChatId)
  const { isBusy, refused, run } = useAttempt()
  const isDenying = useSignal(false)
  const isEditing = useSignal(false)
  const edited = useRef<ArgumentsDraft | null>(null)
  const card = useRef<HTMLDivElement>(null)
  const isAnswered = useRef(false)
  const answer = async (decision: Decision, reason = "") => {
    const draft = decision === "deny" ? null : edited.current
    const args = draft?.checked()
    if (draft !== null && args === undefined) return toFirstWrong(card.current)
    isAnswered.current = true
    return run(() =>
      answerApproval(chat, approval.id, {
        decision,
        ...(reason === "" ? {} : { reason }),
        ...(args === undefined || draft?.isOther(args) === false ? {} : { args })
      })
    )
  }
  const back = () => {
    isDenying.value = false
    isEditing.value = false
    edited.current = null
    refused.value = null
    requestAnimationFrame(() => card.current?.querySelector<HTMLElement>(".primary")?.focus())
  }
  useEffect(() => () => {
    if (isAnswered.current) requestAnimationFrame(goOn)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (isTyping(event.target) || event.altKey || event.ctrlKey || event.metaKey || isBusy.value) return
    const decision = ANSWERS.find(([key]) => key === event.key)?.[1]
    if (decision === undefined && event.key.toLowerCase() !== "n") return
    event.preventDefault()
    if (decision === undefined) isDenying.value = true
    else void answer(decision)
  }
  return (
    <div
      class="approval asks"
      role="group"
      aria-label={words.question(approval.tool, approval.server)}
      ref={card}
      onKeyDown={onKeyDown}
    >
      <div class="asks-head">
        {approval.server === null ? <Icon name="tool" /> : <Letter name={approval.server} />}
        <strong title={approval.name}>
          {titleOf(approval.name, approval.server, toolsByName.value.get(approval.name))}
        </strong>
        <span class="asks-class">{claims(approval)}</span>
      </div>
      {isEditing.value
        ? (
          <div
            onKeyDown={(event) => {
              if (event.key !== "Escape") return
              event.stopPropagation()
              event.preventDefault()
              back()
            }}
          >
            <ApprovalEdit approval={approval} onBegin={(args) => edited.current = args} />
          </div>
        )
        : <ArgumentFields args={approval.args} tool={approval.name} label={words.argumentsOf(approval.name)} />}
      <Refused why={refused.value} />
      {isDenying.value
        ? <Denying isBusy={isBusy.value} onBack={back} onDeny={(reason) => void answer("deny", reason)} />
        : (
          <div class="row">
            {ANSWERS.map(([key, decision, text]) => (
              <Button
                key={key}
                {...(decision === "once" ? { kind: "primary" as const } : {})}
                aria-keyshortcuts={key}
                disabled={isBusy.value}
                onClick={() => void answer(decision)}
              >
                {text} <kbd aria-hidden="true">{key}</kbd>
              </Button>
            ))}
            <Button
              kind="plain"
              aria-keyshortcuts="n"
              disabled={isBusy.value}
              onClick={() => isDenying.value = true}
            >
              {words.deny} <kbd aria-hidden="true">N</kbd>
            </Button>
            <span class="grow" />
            {isEditing.value
              ? <Button kind="plain" onClick={back}>{words.leave}</Button>
              : <Button kind="plain" onClick={() => isEditing.value = true}>{words.edit}</Button>}
          </div>
        )}
    </div>
  )
}
