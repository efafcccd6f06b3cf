/** A server's question: who it is, its own words, how long there is, and the way to answer. */
import type { Question } from "../api/Types.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { Refused } from "../state/Attempt.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button, OpenButton } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { lazy } from "../ui/Lazy.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import "../ui/panels.css"
import { openable } from "./Addresses.ts"
import { type AnswerState, useAnswering } from "./AnswerState.ts"
import { Countdown } from "./Countdown.tsx"
import "./questions.css"
import { useEffect, useId, useRef } from "preact/hooks"
import { ServerQuote } from "./ServerQuote.tsx"
import { WholeUrl } from "./WholeUrl.tsx"

/** Forms are the larger part of this, and few conversations have one. */
const FormQuestion = lazy(
  () => import("./FormQuestion.tsx").then((module) => module.FormQuestion),
  <Spinner />
)

const SamplingQuestion = lazy(
  () => import("./SamplingQuestion.tsx").then((module) => module.SamplingQuestion),
  <Spinner />
)

const wants = (): Readonly<Record<Question["kind"], string>> => ({
  form: texts.asksForm,
  url: texts.asksUrl,
  sampling: texts.asksModel,
  call: ""
})

/** Where other programs call, which few pages see. */
const CallQuestion = lazy(
  () => import("./CallQuestion.tsx").then((module) => module.CallQuestion),
  <Spinner />
)

interface QuestionCardProps {
  readonly question: Question
  /** Answers may stand for the rest of the chat. */
  readonly isInChat: boolean
  readonly onAnswered?: (id: string) => void
}

export const QuestionCard = ({ isInChat, onAnswered = () => {}, question }: QuestionCardProps) => {
  const { id, isTrusted, kind, message, server, wanted } = question
  const answering = useAnswering(id, onAnswered)
  const heading = useId()
  const { problem } = answering
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The button that was pressed lost the focus while the answer was on its way.
    if (problem !== null && document.activeElement === document.body) root.current?.focus()
  }, [problem])
  return (
    <div
      class="question asks"
      role="group"
      aria-labelledby={heading}
      ref={root}
      tabIndex={-1}
      data-focus=""
      onKeyDown={(event) => {
        // It closes the picker of a field, and must not stop the turn that asks.
        if (event.key === "Escape" && event.target !== root.current) event.stopPropagation()
      }}
    >
      <div class="question-head">
        <Icon name="ask" />
        <p id={heading}>
          {wanted === undefined
            ? (
              <>
                {texts.theServer} <strong>{server}</strong>
                {wants()[kind]}.{" "}
              </>
            )
            : (
              <>
                <strong>{wanted.program}</strong> {texts.wantsToCall} <strong>{wanted.tool}</strong> {texts.of}{" "}
                <strong>{server}</strong>.{" "}
              </>
            )}
          <Badge tone={isTrusted ? "good" : "warn"}>{isTrusted ? texts.trustedServer : texts.serverNotTrusted}</Badge>
        </p>
        {/* A call waits a day, which nobody counts down. */}
        {wanted === undefined ? <Countdown until={question.expiresAt} what={texts.timeToAnswer(server)} /> : null}
      </div>
      {message.trim() === "" ? null : <ServerQuote server={server} text={message} />}
      {wanted !== undefined
        ? <CallQuestion wanted={wanted} server={server} answering={answering} />
        : kind === "form"
        ? <FormQuestion question={question} answering={answering} />
        : kind === "url"
        ? <UrlQuestion question={question} answering={answering} />
        : <SamplingQuestion question={question} answering={answering} isInChat={isInChat} />}
      <Refused why={problem} />
    </div>
  )
}

interface UrlQuestionProps {
  readonly question: Question
  readonly answering: AnswerState
}

/** Nothing asks the address before the person clicks, and it learns nothing of this page. */
const UrlQuestion = ({ answering, question: { url } }: UrlQuestionProps) => {
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
