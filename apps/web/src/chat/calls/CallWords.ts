/** A call of a tool in a line: what it is called, what it is about, and how it stands. Pure. */
import type { ApprovalAnswerPart, Json, Tool } from "../../api/Types.ts"
import { answered as words } from "../../messages/ChatMessages.ts"
import { cut } from "../../messages/Numbers.ts"
import { type CallBlock, openQuestions } from "../open/TurnModel.ts"
import { whereWords } from "./WhereWords.ts"

export type Outcome = "writing" | "running" | "waiting" | "done" | "failed" | "denied" | "stopped" | "unfinished"

/** `read_text-file` as `Read text file`. */
export const humanized = (name: string): string => {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll(/[_\-.\s]+/g, " ").trim()
  return words === "" ? name : `${words[0]?.toUpperCase()}${words.slice(1)}`
}

/** The title of the tool, or its name made readable, without its server's. */
export const titleOf = (name: string, server: string | null, known: Tool | undefined): string => {
  const title = known?.title ?? known?.annotations["title"]
  if (typeof title === "string" && title.trim() !== "") return title
  const own = server !== null && name.startsWith(`${server}_`) ? name.slice(server.length + 1) : name
  return humanized(known?.tool ?? own)
}

/** The arguments that say best what a call is about, the most telling first. */
const TELLING = ["path", "file_path", "file", "url", "uri", "query", "q", "sql", "command", "pattern", "name", "title"]

/** In one line what a call is about: one of its arguments, or all of them as JSON. Empty without any. */
export const subjectOf = (args: Json): string => {
  if (typeof args === "string") return cut(args, 160)
  if (args === null || typeof args !== "object") return String(args)
  const entries = Object.entries(args)
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "")
  const told = TELLING.flatMap((key) => texts.filter(([name]) => name.toLowerCase() === key)).at(0) ?? texts[0]
  const text = told === undefined ? entries.length === 0 ? "" : JSON.stringify(args) : told[1]
  return cut(text.replaceAll(/\s+/g, " ").trim(), 160)
}

/** For a person: to be allowed, or to have its server's question answered. */
const isWaiting = (block: CallBlock): boolean =>
  block.approval !== null && block.answer === null || openQuestions(block).length > 0

const CANCELLED = /\bcancell?ed\b/i

/** The state of a call. A call that a person stopped or denied is no failure. */
export const outcomeOf = (block: CallBlock, isOver: boolean, isStopped: boolean): Outcome => {
  const { answer, result, written } = block
  if (result !== null) {
    if (!result.isError) return "done"
    if (answer?.decision === "deny") return "denied"
    return isStopped && CANCELLED.test(result.text) ? "stopped" : "failed"
  }
  if (isOver) return isStopped ? "stopped" : "unfinished"
  if (written !== null) return "writing"
  return isWaiting(block) ? "waiting" : "running"
}

/** The answer to a call that waited. */
export const answerWords = ({ args, decision, reason, where }: ApprovalAnswerPart): string => {
  if (decision === "deny" && reason !== null && reason !== "") return words.denied(reason)
  const answer = words.answers[decision]
  const said = where === undefined || Object.keys(where).length === 0 ? answer : words.where(answer, whereWords(where))
  return args === undefined ? `${said}.` : words.otherArguments(said)
}

/** The first line of a text that says something. */
export const firstLine = (text: string): string =>
  cut((text.split("\n").find((line) => line.trim() !== "") ?? "").trim(), 140)
