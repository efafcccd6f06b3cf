/** The questions of servers outside of the chats that nobody answered yet: shown on every part of the page. */
import { signal } from "@preact/signals"
import { listQuestions } from "../api/Api.ts"
import type { OpenQuestion } from "../api/Types.ts"
import { getJson } from "./Loading.ts"

/** The oldest first. Those of chats are in their chats. */
export const questions = signal<ReadonlyArray<OpenQuestion>>([])

/** The questions answered here: an answer that is on its way to others must not bring them back. */
const answered = new Set<string>()

const isLoose = ({ chat, id }: OpenQuestion): boolean => chat === null && !answered.has(id)

export const refreshQuestions = () =>
  getJson(listQuestions(), (answer) => {
    questions.value = answer.questions.filter(isLoose)
  })

export const placeQuestion = (question: OpenQuestion) => {
  if (!isLoose(question) || questions.value.some(({ id }) => id === question.id)) return
  questions.value = [...questions.value, question]
}

export const dropQuestion = (id: string) => {
  answered.add(id)
  if (questions.value.some((question) => question.id === id)) {
    questions.value = questions.value.filter((question) => question.id !== id)
  }
}
