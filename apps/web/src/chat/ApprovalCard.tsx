/** A call that waits for a person: what it would do, and what can be answered. */
import { useSignal } from "@preact/signals"
import { useContext, useEffect, useId, useRef } from "preact/hooks"
import { answerApproval } from "../api/Api.ts"
import { words } from "../api/Client.ts"
import type { ApprovalAnswerPart, ApprovalPart, Decision, JsonObject } from "../api/Types.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { focus, goOn } from "../ui/Focus.ts"
import { Icon } from "../ui/Icon.tsx"
import { ChatId } from "./OpenChat.ts"

const WORDS: Readonly<Record<ApprovalAnswerPart["decision"], string>> = {
  once: "Allowed once",
  chat: "Allowed for this chat",
  always: "Allowed always",
  deny: "Denied",
  expired: "Nobody answered in time, so it was not called"
}

export const answerWords = ({ args, decision, reason }: ApprovalAnswerPart): string => {
  if (decision === "deny" && reason !== null && reason !== "") return `${WORDS.deny}: ${reason}`
  return args === undefined ? `${WORDS[decision]}.` : `${WORDS[decision]}, with other arguments.`
}

/** What the server says of the tool itself. Only a hint: a server that is not trusted may say anything. */
const claims = (annotations: JsonObject): ReadonlyArray<string> => [
  ...(annotations["readOnlyHint"] === true ? ["it only reads"] : []),
  ...(annotations["destructiveHint"] === true ? ["it may delete or overwrite"] : []),
  ...(annotations["openWorldHint"] === true ? ["it reaches outside"] : [])
]

/** The arguments as they were typed, or why they are none. */
const read = (text: string): { readonly args: JsonObject } | { readonly wrong: string } => {
  try {
    const args: unknown = JSON.parse(text)
    return isObject(args) ? { args } : { wrong: "The arguments are an object: { … }." }
  } catch (error) {
    return { wrong: `This is no JSON: ${words(error).message}` }
  }
}

const Question = ({ approval, id }: { readonly approval: ApprovalPart; readonly id: string }) => (
  <p class="approval-question" id={id}>
    <Icon name="shield" />
    <span>
      May <strong>{approval.tool}</strong>
      {approval.server === null ? " (built in)" : (
        <>
          {" of the server "}
          <strong>{approval.server}</strong>
        </>
      )}
      {" be called? "}
      {approval.server === null
        ? null
        : (
          <Badge tone={approval.isTrusted ? "good" : "warn"}>
            {approval.isTrusted ? "trusted server" : "server not trusted"}
          </Badge>
        )}
    </span>
  </p>
)

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
        aria-label="Why not? The model reads this"
        placeholder="Why not? The model reads this"
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
      <Button kind="danger" type="submit" disabled={isBusy}>Deny</Button>
      <Button kind="plain" onClick={onBack}>Back</Button>
    </form>
  )
}

export const ApprovalCard = ({ approval }: { readonly approval: ApprovalPart }) => {
  const chat = useContext(ChatId)
  const { isBusy, refused, run } = useAttempt()
  const isDenying = useSignal(false)
  const draft = useSignal<string | null>(null)
  const actions = useRef<HTMLDivElement>(null)
  const isAnswered = useRef(false)
  const id = useId()
  const said = claims(approval.annotations)
  const shown = JSON.stringify(approval.args, null, 2)
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
    requestAnimationFrame(() => actions.current?.querySelector("button")?.focus())
  }
  useEffect(() => () => {
    if (isAnswered.current) requestAnimationFrame(goOn)
  }, [])
  return (
    <div class="approval" role="group" aria-labelledby={id} ref={actions}>
      <Question approval={approval} id={id} />
      {said.length === 0 ? null : <p class="muted small">The server says: {said.join(", ")}.</p>}
      {draft.value === null
        ? <CodeBlock code={shown} language="json" isWrapped label={`Arguments of ${approval.name}`} />
        : (
          <textarea
            class="input mono"
            aria-label={`Arguments of ${approval.name}`}
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
            <Button kind="primary" disabled={isBusy.value} onClick={() => void answer("once")}>Allow once</Button>
            <Button disabled={isBusy.value} onClick={() => void answer("chat")}>Allow for this chat</Button>
            <Button disabled={isBusy.value} onClick={() => void answer("always")}>Always allow</Button>
            <Button kind="danger" disabled={isBusy.value} onClick={() => isDenying.value = true}>Deny …</Button>
            <span class="grow" />
            {draft.value === null
              ? (
                <Button kind="plain" icon="edit" onClick={() => draft.value = shown}>
                  Change the arguments
                </Button>
              )
              : <Button kind="plain" onClick={back}>Leave them as they were</Button>}
          </div>
        )}
    </div>
  )
}
