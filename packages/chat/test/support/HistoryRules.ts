/**
 * What providers refuse in a history, one rule after the other, written from their words and not from the repair's code.
 */
import type * as Prompt from "effect/ai/Prompt"

export interface Block {
  readonly type: string
  readonly [field: string]: unknown
}

export interface BlockMessage {
  readonly role: string
  readonly content: string | ReadonlyArray<Block>
}

const blocksOf = ({ content }: BlockMessage): ReadonlyArray<Block> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const idsOf = (message: BlockMessage | undefined, type: string, field: string): ReadonlyArray<string> =>
  message === undefined ? [] : blocksOf(message).flatMap((block) => block.type === type ? [String(block[field])] : [])

const isThought = (block: Block | undefined) => block?.type === "thinking"

/** The rules of Anthropic's Messages API, and of Gemini where it takes a call. */
export const blockFaults = (messages: ReadonlyArray<BlockMessage>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const uses = messages.flatMap((message) => idsOf(message, "tool_use", "id"))
  if (new Set(uses).size !== uses.length) faults.push("`tool_use` ids must be unique")
  if (messages.length > 0 && messages[0]?.role !== "user") faults.push("first message must use the user role")
  if (messages.at(-1)?.role === "assistant") faults.push("the conversation must end with a user message")
  messages.forEach((message, index) => {
    const blocks = blocksOf(message)
    const before = messages[index - 1]
    if (blocks.length === 0) faults.push(`${index}: content must not be empty`)
    if (blocks.some(({ text, type }) => type === "text" && String(text).trim() === "")) {
      faults.push(`${index}: text must contain non-whitespace text`)
    }
    if (message.role === "assistant") {
      const calls = idsOf(message, "tool_use", "id")
      const answers = idsOf(messages[index + 1], "tool_result", "tool_use_id")
      if (calls.some((id) => answers.filter((answer) => answer === id).length !== 1)) {
        faults.push(`${index}: tool_use ids were found without one tool_result block immediately after`)
      } else if (calls.join() !== answers.join()) faults.push(`${index}: results in another order than calls, or more`)
      if (idsOf(message, "tool_result", "tool_use_id").length > 0) faults.push(`${index}: tool_result of the assistant`)
      if (isThought(blocks.at(-1)) && calls.length === 0) faults.push(`${index}: the final block cannot be thinking`)
      if (calls.length > 0 && before?.role === "assistant") {
        faults.push(`${index}: function call turn must come immediately after a user turn`)
      }
      for (const { input, type } of blocks) {
        if (type === "tool_use" && (typeof input !== "object" || input === null)) {
          faults.push(`${index}: input required`)
        }
      }
      return
    }
    const results = idsOf(message, "tool_result", "tool_use_id")
    const called = before?.role === "assistant" ? idsOf(before, "tool_use", "id") : []
    if (results.some((id) => !called.includes(id))) faults.push(`${index}: unexpected tool_use_id in tool_result`)
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
      faults.push(`${index}: tool_result blocks must come first`)
    }
    if (blocks.some(({ type }) => type === "tool_use" || type === "thinking")) faults.push(`${index}: not of a user`)
  })
  return faults
}

/** What `effect/ai` models refuse: the same rules, with results in tool messages, one message of the user at a time. */
export const promptFaults = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const spoken = messages.filter(({ role }) => role !== "system")
  const ids: Array<string> = []
  if (spoken[0] !== undefined && spoken[0].role !== "user") faults.push("begins without the user")
  if (spoken.at(-1)?.role === "assistant") faults.push("ends with the assistant")
  spoken.forEach((message, index) => {
    const [before, after] = [spoken[index - 1], spoken[index + 1]]
    if (message.content.length === 0) faults.push(`${index}: empty`)
    if (message.role === "user" && before?.role === "user") faults.push(`${index}: two questions`)
    if (message.role === "tool" && before?.role !== "assistant") faults.push(`${index}: results after no calls`)
    if (message.role !== "assistant") return
    const calls = message.content.flatMap((part) =>
      part.type === "tool-call" && !part.providerExecuted ? [part.id] : []
    )
    ids.push(...calls)
    const answers = after?.role === "tool"
      ? after.content.flatMap((part) => part.type === "tool-result" ? [part.id] : [])
      : []
    if (calls.join() !== answers.join()) faults.push(`${index}: calls ${calls.join()}, results ${answers.join()}`)
    if (calls.length > 0 && before?.role === "assistant") faults.push(`${index}: a call after the assistant's words`)
  })
  if (new Set(ids).size !== ids.length) faults.push("an id twice")
  return faults
}

export interface UiPart {
  readonly type: string
  readonly [field: string]: unknown
}

export interface UiMessage {
  readonly id: string
  readonly role: string
  readonly parts: ReadonlyArray<UiPart>
  readonly metadata?: unknown
}

const isCall = ({ type }: UiPart): boolean => type.startsWith("tool-") || type === "dynamic-tool"

const isApproved = ({ approval }: UiPart): boolean =>
  typeof approval === "object" && approval !== null && "approved" in approval && approval.approved === true

/** What the AI SDK's conversion makes a bad request of, and what the bad request would be. */
export const uiFaults = (messages: ReadonlyArray<UiMessage>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const calls = messages.flatMap(({ parts }) => parts.filter(isCall).map(({ toolCallId }) => toolCallId))
  if (new Set(calls).size !== calls.length) faults.push("a toolCallId twice")
  if (new Set(messages.map(({ id }) => id)).size !== messages.length) faults.push("an id of a message twice")
  if (messages.length > 0 && messages[0]?.role !== "user") faults.push("begins without the user")
  messages.forEach(({ parts, role }, index) => {
    const read = parts.filter(({ type }) => type !== "step-start")
    const isLast = index === messages.length - 1
    if (read.length === 0) faults.push(`${index}: empty`)
    if (read.some(({ text, type }) => type === "text" && String(text).trim() === "")) faults.push(`${index}: blank`)
    if (role !== "assistant") return
    const last = read.at(-1)
    if (isLast && last !== undefined && !isCall(last)) faults.push(`${index}: ends with the assistant`)
    if (last?.type === "reasoning" && !read.some(isCall)) faults.push(`${index}: ends with reasoning`)
    const before = messages[index - 1]
    const said = before?.parts.findLast(({ type }) => type !== "step-start")
    if (read.some(isCall) && before?.role === "assistant" && said !== undefined && !isCall(said)) {
      faults.push(`${index}: a call after the assistant's words`)
    }
    parts.forEach((part, place) => {
      if (!isCall(part)) return
      const { input, rawInput, state } = part
      const isAtEnd = isLast && parts.slice(place).every(isCall)
      const isAnswered = String(state).startsWith("output-") ||
        (state === "approval-responded" && (isAtEnd || !isApproved(part)))
      if (!isAnswered) faults.push(`${index}: call ${String(part["toolCallId"])} in state ${String(state)}`)
      if (typeof (input ?? rawInput) !== "object") faults.push(`${index}: arguments that are no object`)
    })
  })
  return faults
}
