/** A question of a server within a turn: to answer while it waits, in a line when it is over. */
import { QuestionCard } from "../questions/QuestionCard.tsx"
import { lazy } from "../ui/Lazy.tsx"
import type { Asked } from "./open/TurnModel.ts"

const AnsweredQuestion = lazy(
  () => import("../questions/AnsweredQuestion.tsx").then((module) => module.AnsweredQuestion),
  null
)

interface TurnQuestionProps {
  readonly asked: Asked
  /** Its call or its turn has ended, so nobody waits for an answer any more. */
  readonly isOver: boolean
}

export const TurnQuestion = ({ asked: { answer, question, said }, isOver }: TurnQuestionProps) =>
  answer === null && !isOver
    ? <QuestionCard question={question} isInChat />
    : <AnsweredQuestion question={question} answer={answer} said={said} />
