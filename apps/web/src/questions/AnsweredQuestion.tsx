/** A question that is over, in one line, with what was asked and sent in a fold. */
import type { Question, QuestionAnswerPart, SamplingResultPart } from "../api/Types.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { LongCode } from "../ui/code/LongCode.tsx"
import { Fold } from "../ui/Fold.tsx"
import { answerWords } from "./AnswerWords.ts"
import { Wish } from "./SamplingQuestion.tsx"
import { ServerQuote } from "./ServerQuote.tsx"
import { WholeUrl } from "./WholeUrl.tsx"
import "./questions.css"

interface AnsweredProps {
  readonly question: Question
  readonly answer: QuestionAnswerPart | null
  readonly said: SamplingResultPart | null
}

const Details = ({ answer, question: { message, sampling, server, url }, said }: AnsweredProps) => {
  const content = answer?.content ?? null
  return (
    <div class="fold-body">
      {message === "" ? null : <ServerQuote server={server} text={message} />}
      {url === null ? null : <WholeUrl url={url} />}
      {sampling === null ? null : <Wish sampling={sampling} />}
      {content === null ? null : (
        <>
          <h3>{texts.whatWasSent}</h3>
          <CodeBlock code={JSON.stringify(content, null, 2)} language="json" isWrapped label={texts.whatWasSent} />
        </>
      )}
      {said === null || said.text === "" ? null : (
        <>
          <h3>{texts.whatTheModelSaid}</h3>
          <LongCode code={said.text} isWrapped label={texts.whatTheModelSaid} />
        </>
      )}
    </div>
  )
}

export const AnsweredQuestion = (props: AnsweredProps) => {
  const { answer, question, said } = props
  const isMore = (answer?.content ?? null) !== null || said !== null
  return (
    <div class="answered">
      <p class="gist">{answerWords(question, answer, said)}</p>
      <Fold
        summary={
          <>
            {isMore ? texts.whatWasAskedAndSent : texts.whatWasAsked}
            <span class="visually-hidden">{texts.by(question.server)}</span>
          </>
        }
        inside={() => <Details {...props} />}
      />
    </div>
  )
}
