/** A call that waits for a person: what it would do, and what can be answered. */
import { useSignal } from "@preact/signals"
import { useContext, useEffect, useRef } from "preact/hooks"
import { answerApproval } from "../../api/Api.ts"
import { words as wordsOf } from "../../api/Client.ts"
import type { ApprovalAnswerPart, ApprovalPart, Decision, JsonObject } from "../../api/Types.ts"
import { isObject } from "../../forms/SchemaReading.ts"
import { approval as words } from "../../messages/ChatMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { toolsByName } from "../../state/Catalog.ts"
import { isTyping } from "../../state/Keys.ts"
import { Button } from "../../ui/Button.tsx"
import { focus, goOn } from "../../ui/Focus.ts"
import { Icon } from "../../ui/Icon.tsx"
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

/** The arguments as they were typed, or why they are none. */
const read = (text: string): { readonly args: JsonObject } | { readonly wrong: string } => {
  try {
    const args: unknown = JSON.parse(text)
    return isObject(args) ? { args } : { wrong: words.notAnObject }
  } catch (error) {
    return { wrong: words.notJson(wordsOf(error).message) }
  }
}

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
  const draft = useSignal<string | null>(null)
  const actions = useRef<HTMLDivElement>(null)
  const isAnswered = useRef(false)
  const shown = JSON.stringify(approval.args, null, 2)
  const label = words.argumentsOf(approval.name)
  const answer = async (decision: Decision, reason = "") => {
    const given = draft.value === null || decision === "deny" ? null : read(draft.value)
    if (given !== null && "wrong" in given) return refused.value = { message: given.wrong, hint: null }
    isAnswered.current = true
    return run(() =>
      answerApproval(chat, approval.id, {
        decision,
        ...(reason === "" ? {} : { reason }),
        ...(given === null || draft.value === shown ? {} : { args: given.args })
      })
    )
  }
  const back = () => {
    isDenying.value = false
    draft.value = null
    refused.value = null
    requestAnimationFrame(() => actions.current?.querySelector<HTMLElement>(".primary")?.focus())
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
      ref={actions}
      onKeyDown={onKeyDown}
    >
      <div class="asks-head">
        {approval.server === null ? <Icon name="tool" /> : <Letter name={approval.server} />}
        <strong title={approval.name}>
          {titleOf(approval.name, approval.server, toolsByName.value.get(approval.name))}
        </strong>
        <span class="asks-class">{claims(approval)}</span>
      </div>
      {draft.value === null
        ? <ArgumentFields args={approval.args} tool={approval.name} label={label} />
        : (
          <textarea
            class="input mono"
            aria-label={label}
            ref={focus}
            spellcheck={false}
            rows={Math.min(16, draft.value.split("\n").length + 1)}
            value={draft.value}
            onInput={(event) => draft.value = event.currentTarget.value}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return
              event.stopPropagation()
              event.preventDefault()
              back()
            }}
          />
        )}
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
            {draft.value === null
              ? <Button kind="plain" onClick={() => draft.value = shown}>{words.edit}</Button>
              : <Button kind="plain" onClick={back}>{words.leave}</Button>}
          </div>
        )}
    </div>
  )
}
