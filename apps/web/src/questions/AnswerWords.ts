/** What became of a question, in a sentence. Pure. */
import type { Question, QuestionAnswerPart, SamplingResultPart } from "../api/Types.ts"
import { duration } from "../messages/Numbers.ts"
import { partsOf } from "./Addresses.ts"

const WANTED: Readonly<Record<Question["kind"], string>> = {
  form: "to answer",
  url: "to open the address of",
  sampling: "to have the model answer"
}

const ofModel = (server: string, said: SamplingResultPart | null): string => {
  if (said === null) return `The model answers ${server} …`
  return said.error === null
    ? `The model answered ${server}, ${duration(said.millis)}.`
    : `The model could not answer ${server}: ${said.error}`
}

const accepted = ({ kind, server, url }: Question, said: SamplingResultPart | null): string => {
  if (kind === "form") return `You answered ${server}.`
  return kind === "url" ? `You opened ${partsOf(url ?? "").host} for ${server}.` : ofModel(server, said)
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
      return [accepted(question, said), ...(reason === "" ? [] : [`Nobody was asked: ${reason}.`])].join(" ")
    case "decline":
      return reason === "" ? `You declined ${WANTED[kind]} ${server}.` : `Declined for you: ${reason}.`
    case "expired":
      return `Nobody answered ${server} in time.`
    default:
      return `${server} got no answer${reason === "" ? "." : `: ${reason}.`}`
  }
}
