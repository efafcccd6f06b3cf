/** Giving the answer to a question: what is on its way, and what the server refuses of it. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { answerQuestion } from "../api/Api.ts"
import { Problem, type Refusal, words } from "../api/Client.ts"
import type { QuestionAnswer } from "../api/Types.ts"
import { below, type FieldProblem, sentence } from "../forms/FieldProblem.ts"
import { goOn } from "../ui/Focus.ts"

export interface AnswerState {
  /** Also after the answer was taken, until the question is gone. */
  readonly isBusy: boolean
  readonly problem: Refusal | null
  readonly fields: ReadonlyArray<FieldProblem>
  /** Gives false where it was refused. */
  readonly give: (answer: QuestionAnswer) => Promise<boolean>
  readonly setFields: (fields: ReadonlyArray<FieldProblem>) => void
}

export const useAnswering = (id: string, onAnswered: (id: string) => void): AnswerState => {
  const isBusy = useSignal(false)
  const problem = useSignal<AnswerState["problem"]>(null)
  const fields = useSignal<AnswerState["fields"]>([])
  const isAnswered = useRef(false)
  useEffect(() => () => {
    if (isAnswered.current) requestAnimationFrame(goOn)
  }, [])
  const give = async (answer: QuestionAnswer) => {
    isBusy.value = true
    problem.value = null
    try {
      await answerQuestion(id, answer)
      isAnswered.current = true
      onAnswered(id)
      return true
    } catch (error) {
      const told = error instanceof Problem ? error.fields : []
      fields.value = told.map(({ field, message }) => ({
        path: field === "" ? "" : below("", field),
        message: sentence(message)
      }))
      if (told.length === 0) problem.value = words(error)
      isBusy.value = false
      return false
    }
  }
  const setFields = (next: AnswerState["fields"]) => {
    fields.value = next
  }
  return { isBusy: isBusy.value, problem: problem.value, fields: fields.value, give, setFields }
}
