/** The outcome of a question, in a sentence. Pure. */
import type { Question, QuestionAnswerPart, SamplingResultPart } from "../api/Types.ts"
import { duration } from "../messages/Numbers.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { partsOf } from "./Addresses.ts"

const WANTED: Readonly<Record<Question["kind"], string>> = {
  form: texts.toAnswer,
  url: texts.toOpen,
  sampling: texts.toSample,
  call: texts.toCall
}

const ofModel = (server: string, said: SamplingResultPart | null): string => {
  if (said === null) return texts.theModelAnswers(server)
  return said.error === null
    ? texts.theModelAnswered(server, duration(said.millis))
    : texts.theModelFailed(server, said.error)
}

const accepted = ({ kind, server, url, wanted }: Question, said: SamplingResultPart | null): string => {
  if (wanted !== undefined) return texts.youLet(wanted.program, wanted.name)
  if (kind === "form") return texts.youAnswered(server)
  return kind === "url" ? texts.youOpenedFor(partsOf(url ?? "").host, server) : ofModel(server, said)
}

/** `reason` says why nobody was asked, or why nobody answered. */
export const answerWords = (
  question: Question,
  answer: QuestionAnswerPart | null,
  said: SamplingResultPart | null
): string => {
  const { kind, server } = question
  const reason = answer?.reason ?? ""
  switch (answer?.action) {
    case "accept":
      return [accepted(question, said), ...(reason === "" ? [] : [texts.nobodyWasAsked(reason)])].join(" ")
    case "decline":
      return reason === "" ? texts.youDeclined(WANTED[kind], server) : texts.declinedForYou(reason)
    case "expired":
      return texts.nobodyAnsweredInTime(server)
    default:
      return texts.gotNoAnswer(server, reason === "" ? "." : `: ${reason}.`)
  }
}
