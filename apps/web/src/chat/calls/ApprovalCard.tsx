/** A call that waits for a person: what it would do and change, which rule asks, and what can be answered. */
import { useSignal } from "@preact/signals"
import { useContext, useEffect, useMemo, useRef } from "preact/hooks"
import { answerApproval } from "../../api/Api.ts"
import type { ApprovalPart, Decision } from "../../api/Types.ts"
import { toFirstWrong } from "../../forms/FirstWrong.ts"
import { approval as words } from "../../messages/ApprovalMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { toolsByName } from "../../state/Catalog.ts"
import { isTyping } from "../../state/Keys.ts"
import { address } from "../../state/Route.ts"
import type { ArgumentsDraft } from "../../tools/ArgumentsDraft.ts"
import { ClassBadge } from "../../tools/ToolBadges.tsx"
import { Button } from "../../ui/Button.tsx"
import { focus, goOn } from "../../ui/Focus.ts"
import { Icon } from "../../ui/Icon.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { ChatId } from "../open/OpenChat.ts"
import { ApprovalScope, type Scope } from "./ApprovalScope.tsx"
import { ArgumentFields } from "./ArgumentFields.tsx"
import { titleOf } from "./CallWords.ts"
import { textAfter } from "./TextAfter.ts"
import { TextDiff } from "./TextDiff.tsx"
import "./approval.css"

/** The server's own hints about the tool, and whether they are to be believed. */
const claims = ({ annotations, class: kind, isTrusted, server }: ApprovalPart): string =>
  [
    ...(server === null ? [words.builtIn] : [server]),
    ...(kind !== undefined ? [] : [saysOfItself(annotations)]),
    ...(annotations["openWorldHint"] === true ? [words.openWorld] : []),
    ...(server === null || isTrusted ? [] : [words.notTrusted])
  ].join(" · ")

const saysOfItself = (annotations: ApprovalPart["annotations"]): string => {
  if (annotations["readOnlyHint"] === true) return words.onlyReads
  return annotations["destructiveHint"] === true ? words.mayDelete : words.writes
}

/** Why the call waits. Parts of earlier versions do not say it. */
const Because = ({ rule }: { readonly rule: ApprovalPart["rule"] | undefined }) => {
  if (rule === undefined) return null
  if (rule === null) return <p class="muted small">{words.asksByMode}</p>
  return (
    <p class="muted small">
      {words.asksBecause} <code>{rule.text}</code> {words.in}{" "}
      <a href={address("settings", "permissions")}>{rule.source}</a>
    </p>
  )
}

/** The arguments; where they change a text that is known, as the difference to it. */
export const What = ({ approval: { args, before = null, name } }: { readonly approval: ApprovalPart }) => {
  const change = useMemo(() => before === null ? null : textAfter(before, args), [args, before])
  return (
    <>
      <ArgumentFields args={args} tool={name} label={words.argumentsOf(name)} hidden={change?.told ?? []} />
      {before === null || change === null
        ? null
        : <TextDiff before={before} after={change.after} label={words.difference(name)} />}
    </>
  )
}

const ApprovalEdit = lazy(() => import("./ApprovalEdit.tsx").then(({ ApprovalEdit: one }) => one), null)

interface DenyingProps {
  readonly isBusy: boolean
  readonly onDeny: (reason: string) => void
  readonly onBack: () => void
}

export const Denying = ({ isBusy, onBack, onDeny }: DenyingProps) => {
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

type Answers = ReadonlyArray<readonly [decision: Decision, text: string]>

/** By their places, which are their keys: they act while the focus is in the card, so no key answers by mistake. */
const ANSWERS: Answers = [
  ["once", words.once],
  ["chat", words.chat],
  ["hour", words.hour],
  ["always", words.always]
]

export const ApprovalCard = ({ approval }: { readonly approval: ApprovalPart }) => {
  const chat = useContext(ChatId)
  const { isBusy, refused, run } = useAttempt()
  const isDenying = useSignal(false)
  const isEditing = useSignal(false)
  const edited = useRef<ArgumentsDraft | null>(null)
  const scope = useRef<Scope>({ where: null })
  const card = useRef<HTMLDivElement>(null)
  const isAnswered = useRef(false)
  const answer = async (decision: Decision, reason = "") => {
    const draft = decision === "deny" ? null : edited.current
    const args = draft?.checked()
    const isLonger = decision !== "once" && decision !== "deny"
    const isWrong = draft !== null && args === undefined || isLonger && scope.current === null
    if (isWrong) return toFirstWrong(card.current)
    const where = isLonger ? scope.current?.where ?? null : null
    isAnswered.current = true
    return run(() =>
      answerApproval(chat, approval.id, {
        decision,
        ...(reason === "" ? {} : { reason }),
        ...(where === null ? {} : { where }),
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
    const decision = ANSWERS[Number(event.key) - 1]?.[0]
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
        {approval.class === undefined ? null : <ClassBadge toolClass={approval.class} />}
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
        : <What approval={approval} />}
      <Because rule={approval.rule} />
      <Refused why={refused.value} />
      {isDenying.value
        ? <Denying isBusy={isBusy.value} onBack={back} onDeny={(reason) => void answer("deny", reason)} />
        : (
          <div class="row">
            {ANSWERS.map(([decision, text], at) => (
              <Button
                key={decision}
                {...(decision === "once" ? { kind: "primary" as const } : {})}
                aria-keyshortcuts={String(at + 1)}
                disabled={isBusy.value}
                onClick={() => void answer(decision)}
              >
                {text} <kbd aria-hidden="true">{at + 1}</kbd>
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
      {approval.suggestions === undefined || isDenying.value
        ? null
        : <ApprovalScope approval={approval} isBusy={isBusy.value} onScope={(next) => scope.current = next} />}
    </div>
  )
}
