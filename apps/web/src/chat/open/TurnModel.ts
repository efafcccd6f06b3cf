/** The parts of a turn as the blocks that are shown: deltas joined, what belongs to a call beside it. */
import type {
  ApprovalAnswerPart,
  ApprovalPart,
  CompactionPart,
  FinishPart,
  MessagePart,
  Part,
  QuestionAnswerPart,
  QuestionPart,
  RetryPart,
  SamplingResultPart,
  SourcePart,
  SummaryPart,
  ToolCallPart,
  ToolProgressPart,
  ToolResultPart,
  WarningPart,
  WritePart
} from "../../api/Types.ts"

interface TextBlock {
  readonly kind: "text" | "reasoning"
  readonly key: number
  readonly text: string
  /** The pages that its provider says it is from, and where in the text; left out where there are none. */
  readonly cited?: ReadonlyArray<Cited>
}

/** A page that a text is from. */
export interface Cited {
  readonly source: SourcePart
  /** Null where no place is known. */
  readonly at: number | null
}

/** A question of a server, and the answer to it. */
export interface Asked {
  readonly question: QuestionPart
  readonly answer: QuestionAnswerPart | null
  /** The model's answer to the server, where that was asked and allowed. */
  readonly said: SamplingResultPart | null
}

export interface CallBlock {
  readonly kind: "call"
  readonly key: number
  readonly call: ToolCallPart
  /** How many characters the model wrote of it, while it does; null once the call is made. */
  readonly written: number | null
  readonly progress: ToolProgressPart | null
  readonly result: ToolResultPart | null
  readonly approval: ApprovalPart | null
  readonly answer: ApprovalAnswerPart | null
  /** The questions of its server on the way. */
  readonly questions: ReadonlyArray<Asked>
  /** Its writes: a program may call several tools. */
  readonly writes: ReadonlyArray<WritePart>
}

/** A question outside of any call. */
interface QuestionBlock extends Asked {
  readonly kind: "question"
  readonly key: number
}

export type Block =
  | TextBlock
  | CallBlock
  | QuestionBlock
  /** A message that waited, and that this turn took. */
  | { readonly kind: "message"; readonly key: number; readonly part: MessagePart }
  | { readonly kind: "summary"; readonly key: number; readonly part: SummaryPart }
  | { readonly kind: "warning"; readonly key: number; readonly message: string; readonly away: ReadonlyArray<string> }
  | { readonly kind: "error"; readonly key: number; readonly message: string; readonly hint: string }
  /** The provider failed; `dropped` is what it had said, which does not count any more. */
  | {
    readonly kind: "retry"
    readonly key: number
    readonly part: RetryPart
    readonly dropped: ReadonlyArray<TextBlock>
  }
  | { readonly kind: "compaction"; readonly key: number; readonly part: CompactionPart }

/** A call that the model still writes, as far as it can be read. Its block keeps the key. */
export type DraftedCall = Pick<CallBlock, "key" | "call"> & { readonly written: number }

export interface TurnModel {
  readonly blocks: ReadonlyArray<Block>
  /** The calls that the model still writes. They come after all else. */
  readonly drafts: ReadonlyArray<CallBlock>
  readonly finish: FinishPart | null
  /** The highest `seq` that is in here. */
  readonly seq: number
}

export const EMPTY: TurnModel = { blocks: [], drafts: [], finish: null, seq: 0 }

const isText = (block: Block | undefined): block is TextBlock =>
  block !== undefined && (block.kind === "text" || block.kind === "reasoning")

const addText = (blocks: Array<Block>, kind: TextBlock["kind"], key: number, text: string) => {
  const last = blocks.at(-1)
  if (isText(last) && last.kind === kind) blocks[blocks.length - 1] = { ...last, text: last.text + text }
  else blocks.push({ kind, key, text })
}

/** A source may come before the text that is from it. */
const putSource = (blocks: Array<Block>, source: SourcePart) => {
  const before = blocks.at(-1)
  if (before?.kind !== "text") blocks.push({ kind: "text", key: source.seq, text: "" })
  const last = blocks.at(-1)
  if (last?.kind !== "text") return
  const { back } = source
  const at = back === null || back > last.text.length ? null : last.text.length - back
  blocks[blocks.length - 1] = { ...last, cited: [...last.cited ?? [], { source, at }] }
}

/** Changes the call that `is` finds, the last one where several have an id. */
const changeCall = (blocks: Array<Block>, is: (call: CallBlock) => boolean, change: Partial<CallBlock>) => {
  const index = blocks.findLastIndex((block) => block.kind === "call" && is(block))
  const found = blocks[index]
  if (found?.kind === "call") blocks[index] = { ...found, ...change }
}

const putQuestion = (blocks: Array<Block>, question: QuestionPart) => {
  const asked = { question, answer: null, said: null }
  const index = blocks.findLastIndex((block) => block.kind === "call" && block.call.id === question.call)
  const found = blocks[index]
  if (found?.kind !== "call") return blocks.push({ kind: "question", key: question.seq, ...asked })
  blocks[index] = { ...found, questions: [...found.questions, asked] }
}

const putWrite = (blocks: Array<Block>, part: WritePart) => {
  const index = blocks.findLastIndex((block) => block.kind === "call" && block.call.id === part.call)
  const found = blocks[index]
  if (found?.kind === "call") blocks[index] = { ...found, writes: [...found.writes, part] }
}

/** Changes the question with this id, of a call or of none. */
const changeQuestion = (blocks: Array<Block>, id: string, change: Partial<Asked>) => {
  const isIt = ({ question }: Asked) => question.id === id
  const index = blocks.findLastIndex((block) =>
    block.kind === "question" ? isIt(block) : block.kind === "call" && block.questions.some(isIt)
  )
  const found = blocks[index]
  if (found?.kind === "question") blocks[index] = { ...found, ...change }
  if (found?.kind !== "call") return
  blocks[index] = { ...found, questions: found.questions.map((each) => isIt(each) ? { ...each, ...change } : each) }
}

/** Text and reasoning since the last result of a tool were said for nothing. */
const takeBack = (blocks: Array<Block>): ReadonlyArray<TextBlock> => {
  const from = blocks.findLastIndex((block) => block.kind === "call" && block.result !== null) + 1
  const dropped = blocks.slice(from).filter(isText)
  blocks.splice(from, blocks.length, ...blocks.slice(from).filter((block) => !isText(block)))
  return dropped
}

const NEW = { written: null, progress: null, result: null, approval: null, answer: null, questions: [], writes: [] }

const put = (blocks: Array<Block>, part: Part, drafts: ReadonlyArray<CallBlock>) => {
  const key = part.type === "tool-call" ? drafts.find(({ call }) => call.id === part.id)?.key ?? part.seq : part.seq
  switch (part.type) {
    case "text-delta":
      return addText(blocks, "text", key, part.text)
    case "reasoning-delta":
      return addText(blocks, "reasoning", key, part.text)
    case "source":
      return putSource(blocks, part)
    case "tool-call":
      return blocks.push({ kind: "call", key, call: part, ...NEW })
    case "tool-progress":
      return changeCall(blocks, ({ call }) => call.id === part.id, { progress: part })
    case "tool-result":
      return changeCall(blocks, ({ call }) => call.id === part.id, { result: part })
    case "approval":
      return changeCall(blocks, ({ call }) => call.id === part.call, { approval: part })
    case "approval-answer":
      return changeCall(blocks, ({ approval }) => approval?.id === part.id, { answer: part })
    case "write":
      return putWrite(blocks, part)
    case "question":
      return putQuestion(blocks, part)
    case "question-answer":
      return changeQuestion(blocks, part.id, { answer: part })
    case "sampling-result":
      return changeQuestion(blocks, part.id, { said: part })
    case "warning":
      return blocks.push({ kind: "warning", key, message: part.message, away: awayIn(part) })
    case "message":
    case "summary":
      return blocks.push(part.type === "message" ? { kind: "message", key, part } : { kind: "summary", key, part })
    case "error":
      return blocks.push({ kind: "error", key, message: part.message, hint: part.hint })
    case "retry":
      return blocks.push({ kind: "retry", key, part, dropped: takeBack(blocks) })
    case "compaction":
      return blocks.push({ kind: "compaction", key, part })
    default:
      return undefined // a kind that a later server knows is no reason to stop
  }
}

/** The turn with these parts too; what it has already is not taken twice. Blocks that did not change stay the same. */
export const add = (model: TurnModel, parts: ReadonlyArray<Part>): TurnModel => {
  const fresh = parts.filter(({ seq }) => seq > model.seq)
  if (fresh.length === 0) return model
  const blocks = [...model.blocks]
  for (const part of fresh) put(blocks, part, model.drafts)
  const finish = fresh.find((part) => part.type === "finish") ?? model.finish
  return endDrafts({ blocks, drafts: model.drafts, finish, seq: fresh.at(-1)?.seq ?? model.seq }, fresh)
}

/** The turn without the drafts that these parts end. */
export const endDrafts = (model: TurnModel, parts: ReadonlyArray<Part>): TurnModel => {
  const drafts = model.drafts.filter(({ call }) => !parts.some((part) => endsDraft(part, call)))
  return drafts.length === model.drafts.length ? model : { ...model, drafts }
}

const endsDraft = (part: Part, call: ToolCallPart): boolean =>
  part.type === "retry" || part.type === "finish" || part.type === "tool-call" && part.id === call.id

/** The turn with a call as far as it is written. One that is made already stays as it is; one that is told of anew keeps its key. */
export const draft = (model: TurnModel, drafted: DraftedCall): TurnModel => {
  const isIt = (block: Block) => block.kind === "call" && block.call.id === drafted.call.id
  if (model.finish !== null || model.blocks.some(isIt)) return model
  const index = model.drafts.findIndex(isIt)
  const key = model.drafts[index]?.key ?? drafted.key
  const block: CallBlock = { kind: "call", ...NEW, ...drafted, key }
  return { ...model, drafts: index === -1 ? [...model.drafts, block] : model.drafts.with(index, block) }
}

/** All that is shown of the turn. */
export const shownBlocks = ({ blocks, drafts }: TurnModel): ReadonlyArray<Block> =>
  drafts.length === 0 ? blocks : [...blocks, ...drafts]

/** The turn with a note whose text a person changed: events do not tell of it. */
export const replaceSummary = (model: TurnModel, part: SummaryPart): TurnModel => ({
  ...model,
  blocks: model.blocks.map((block) =>
    block.kind === "summary" && block.part.id === part.id ? { ...block, part } : block
  )
})

/** Whether another turn took the message before this one began: the message stands there. */
export const isJoined = ({ finish }: TurnModel): boolean => finish?.reason === "joined"

/** Calls that wait for a person. */
export const waitingApprovals = ({ blocks, finish }: TurnModel): ReadonlyArray<CallBlock> =>
  finish !== null ?
    [] :
    blocks.filter((block): block is CallBlock =>
      block.kind === "call" && block.approval !== null && block.answer === null && block.result === null
    )

const isOpen = ({ answer }: Asked): boolean => answer === null

/** The questions of a call that nobody answered yet; none once it has its result. */
export const openQuestions = ({ questions, result }: CallBlock): ReadonlyArray<Asked> =>
  result === null ? questions.filter(isOpen) : []

/** Questions of servers that wait for a person. */
export const waitingQuestions = ({ blocks, finish }: TurnModel): ReadonlyArray<Asked> =>
  finish !== null ? [] : blocks.flatMap((block): ReadonlyArray<Asked> => {
    if (block.kind === "call") return openQuestions(block)
    return block.kind === "question" && isOpen(block) ? [block] : []
  })

/** A call that the model made and that runs or waits: it shows that itself. */
export const openCall = (model: TurnModel): CallBlock | null =>
  model.finish === null
    ? shownBlocks(model).findLast((block): block is CallBlock =>
      block.kind === "call" && block.result === null && block.call.program === undefined
    ) ?? null
    : null

/** The part of an answer that a person would copy: its text alone. */
export const plainText = ({ blocks }: TurnModel): string =>
  blocks.filter(isText).filter(({ kind }) => kind === "text").map(({ text }) => text).join("\n\n")

/** A program that the model wrote, and the calls that it made. */
export interface ProgramUnit {
  readonly kind: "program"
  readonly key: number
  readonly block: CallBlock
  readonly calls: ReadonlyArray<CallBlock>
}

/** A piece that is drawn as one: a block, the calls that follow each other, a program, or the servers that are away. */
export type Unit =
  | Exclude<Block, CallBlock>
  | ProgramUnit
  | { readonly kind: "calls"; readonly key: number; readonly blocks: ReadonlyArray<Block> }
  | { readonly kind: "away"; readonly key: number; readonly servers: ReadonlyArray<string> }

/** The words of earlier versions for one server that is not there: such chats are still read. */
const AWAY = /^MCP server (\S+) (?:is still connecting|failed|needs a login)/

/** The servers that a warning says are not there. */
const awayIn = ({ message, servers }: WarningPart): ReadonlyArray<string> => {
  const [, old] = AWAY.exec(message) ?? []
  return servers?.map(({ name }) => name) ?? (old === undefined ? [] : [old])
}

/**
 * The blocks as units, in order. Reasoning between two calls belongs to their run. Servers that are away stand where
 * the first of them is told.
 */
export const unitsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Unit> => {
  const units: Array<Unit> = []
  const away = blocks.flatMap((block) => block.kind === "warning" ? block.away : [])
  let isAwayTold = false
  for (const block of blocks) {
    if (block.kind === "warning" && block.away.length > 0) {
      if (!isAwayTold) units.push({ kind: "away", key: block.key, servers: [...new Set(away)] })
      isAwayTold = true
    } else if (block.kind === "call") addCall(units, block)
    else if (block.kind === "text" && block.text === "") continue
    else units.push(block)
  }
  return units
}

const isProgram = ({ call }: CallBlock): boolean => call.server === null && call.name === "execute"

/** Puts a call to the program that made it, else into the run before it, with the reasoning since then. */
const addCall = (units: Array<Unit>, call: CallBlock) => {
  if (isProgram(call)) return units.push({ kind: "program", key: call.key, block: call, calls: [] })
  const made = units.findLastIndex((unit) => unit.kind === "program" && unit.block.call.id === call.call.program)
  const program = units[made]
  if (program?.kind === "program") {
    units[made] = { ...program, calls: [...program.calls, call] }
    return undefined
  }
  const at = units.findLastIndex(({ kind }) => kind !== "reasoning")
  const run = units[at]
  if (run?.kind !== "calls") return units.push({ kind: "calls", key: call.key, blocks: [call] })
  const since = units.splice(at + 1).filter((unit): unit is TextBlock => unit.kind === "reasoning")
  units[at] = { ...run, blocks: [...run.blocks, ...since, call] }
  return undefined
}
