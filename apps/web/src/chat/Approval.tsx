/** A call that waits for a person: what it would do, and what can be answered. */
import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import type { Approval as Asked, ApprovalAnswerPart, Decision, JsonObject } from "../api/Types.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { CodeBlock } from "../ui/CodeBlock.tsx"
import { focus } from "../ui/Focus.ts"
import { Icon } from "../ui/Icon.tsx"

/** Gives the answer to the server; what it refuses is told by whoever gave this. */
export type Answerer = (approval: Asked, decision: Decision, reason: string) => Promise<void>

const WORDS: Readonly<Record<ApprovalAnswerPart["decision"], string>> = {
  once: "Allowed once.",
  chat: "Allowed for this chat.",
  always: "Allowed always.",
  deny: "Denied",
  expired: "Nobody answered in time, so it was not called."
}

export const answerWords = ({ decision, reason }: ApprovalAnswerPart): string => {
  if (decision !== "deny") return WORDS[decision]
  return reason === null || reason === "" ? `${WORDS.deny}.` : `${WORDS.deny}: ${reason}`
}

/** What the server says of the tool itself. Only a hint: a server that is not trusted may say anything. */
const claims = (annotations: JsonObject): ReadonlyArray<string> => [
  ...(annotations["readOnlyHint"] === true ? ["it only reads"] : []),
  ...(annotations["destructiveHint"] === true ? ["it may delete or overwrite"] : []),
  ...(annotations["openWorldHint"] === true ? ["it reaches outside"] : [])
]

export const Approval = ({ approval, onAnswer }: { readonly approval: Asked; readonly onAnswer: Answerer }) => {
  const isBusy = useSignal(false)
  const isDenying = useSignal(false)
  const reason = useSignal("")
  const id = useId()
  const said = claims(approval.annotations)
  const answer = (decision: Decision) => {
    isBusy.value = true
    void onAnswer(approval, decision, reason.value.trim()).finally(() => {
      isBusy.value = false
    })
  }
  return (
    <div class="approval" role="group" aria-labelledby={id}>
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
      {said.length === 0 ? null : <p class="muted small">The server says: {said.join(", ")}.</p>}
      <CodeBlock
        code={JSON.stringify(approval.args, null, 2)}
        language="json"
        isWrapped
        label={`Arguments of ${approval.name}`}
      />
      {isDenying.value
        ? (
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault()
              answer("deny")
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
                isDenying.value = false
              }}
            />
            <Button kind="primary" type="submit" disabled={isBusy.value}>Deny</Button>
            <Button kind="plain" onClick={() => isDenying.value = false}>Back</Button>
          </form>
        )
        : (
          <div class="row">
            <Button kind="primary" disabled={isBusy.value} onClick={() => answer("once")}>Allow once</Button>
            <Button disabled={isBusy.value} onClick={() => answer("chat")}>Allow for this chat</Button>
            <Button disabled={isBusy.value} onClick={() => answer("always")}>Always allow</Button>
            <Button kind="danger" disabled={isBusy.value} onClick={() => isDenying.value = true}>Deny …</Button>
          </div>
        )}
    </div>
  )
}
