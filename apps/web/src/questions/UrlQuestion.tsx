/** A question with an address to visit. Nothing asks it before the person clicks, and it learns nothing of this page. */
import type { Question } from "../api/Types.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { Button, OpenButton } from "../ui/Button.tsx"
import { openable } from "./Addresses.ts"
import type { AnswerState } from "./AnswerState.ts"
import { WholeUrl } from "./WholeUrl.tsx"

interface UrlQuestionProps {
  readonly question: Question
  readonly answering: AnswerState
}

export const UrlQuestion = ({ answering, question: { url } }: UrlQuestionProps) => {
  const address = openable(url ?? "")
  const accept = () => {
    if (!answering.isBusy) void answering.give({ action: "accept" })
  }
  return (
    <>
      <WholeUrl url={url ?? ""} />
      <div class="row">
        {address === null ? null : <OpenButton href={address} onOpen={accept}>{texts.open}</OpenButton>}
        {address === null
          ? null
          : <Button disabled={answering.isBusy} onClick={accept}>{texts.openedElsewhere}</Button>}
        <Button disabled={answering.isBusy} onClick={() => void answering.give({ action: "decline" })}>
          {texts.decline}
        </Button>
      </div>
    </>
  )
}
