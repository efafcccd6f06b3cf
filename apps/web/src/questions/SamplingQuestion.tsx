/** A server's wish for words of the chat's model: all that the model would read, before anybody says yes. */
import type { Question, SampledMessage, SamplingRequest } from "../api/Types.ts"
import { bytes, short } from "../messages/Numbers.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { Button } from "../ui/Button.tsx"
import { LongCode } from "../ui/code/LongCode.tsx"
import type { AnswerState } from "./AnswerState.ts"

const Message = ({ index, message }: { readonly index: number; readonly message: SampledMessage }) => (
  <li>
    <h3>{texts.asThe(message.role)}</h3>
    {message.text === "" ? null : <LongCode code={message.text} isWrapped label={texts.message(index + 1)} />}
    {message.media.map(({ bytes: size, mediaType }, at) => (
      <p key={at} class="muted small">{texts.withFile(mediaType, bytes(size))}</p>
    ))}
  </li>
)

export const Wish = ({ sampling }: { readonly sampling: SamplingRequest }) => (
  <div class="wish" role="group" aria-label={texts.whatTheModelReads} tabIndex={0}>
    {sampling.systemPrompt === null || sampling.systemPrompt === "" ? null : (
      <>
        <h3>{texts.asInstructions}</h3>
        <LongCode code={sampling.systemPrompt} isWrapped label={texts.instructions} />
      </>
    )}
    <ol>{sampling.messages.map((message, index) => <Message key={index} index={index} message={message} />)}</ol>
  </div>
)

interface SamplingQuestionProps {
  readonly question: Question
  readonly answering: AnswerState
  readonly isInChat: boolean
}

export const SamplingQuestion = ({ answering, isInChat, question: { sampling, server } }: SamplingQuestionProps) => {
  const accept = (scope: "once" | "chat") => void answering.give({ action: "accept", scope })
  return (
    <>
      {sampling === null ? null : (
        <>
          <Wish sampling={sampling} />
          <p class="muted small">{texts.wouldAnswer(sampling.model, short(sampling.maxTokens), server)}</p>
        </>
      )}
      <div class="row">
        <Button kind="primary" disabled={answering.isBusy} onClick={() => accept("once")}>{texts.allowOnce}</Button>
        {isInChat
          ? <Button disabled={answering.isBusy} onClick={() => accept("chat")}>{texts.allowForThisChat}</Button>
          : null}
        <Button kind="danger" disabled={answering.isBusy} onClick={() => void answering.give({ action: "decline" })}>
          {texts.decline}
        </Button>
      </div>
    </>
  )
}
