/** A call that another program wants to make: what would be sent, why a person is asked, yes or no. */
import type { Question, WantedCall } from "../api/Types.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { ClassBadge } from "../tools/ToolBadges.tsx"
import { Button } from "../ui/Button.tsx"
import { LongCode } from "../ui/code/LongCode.tsx"
import type { AnswerState } from "./AnswerState.ts"

interface CallQuestionProps {
  readonly wanted: WantedCall
  readonly server: Question["server"]
  readonly answering: AnswerState
}

export const CallQuestion = ({ answering, wanted: { args, class: kind, name, program, why } }: CallQuestionProps) => (
  <>
    <p class="row">
      <code>{name}</code>
      <ClassBadge toolClass={kind} />
    </p>
    <LongCode code={JSON.stringify(args, null, 2)} language="json" isWrapped label={texts.argumentsOf(name)} />
    <p class="muted small">{texts.asksBecause(why)}</p>
    <div class="row">
      <Button kind="primary" disabled={answering.isBusy} onClick={() => void answering.give({ action: "accept" })}>
        {texts.allowOnce}
      </Button>
      <Button
        kind="danger"
        disabled={answering.isBusy}
        aria-label={texts.declineOf(program)}
        onClick={() => void answering.give({ action: "decline" })}
      >
        {texts.decline}
      </Button>
    </div>
  </>
)
