/** One tool call: its name and arguments, how far it is, and its result, folded with a summary. */
import { useSignal } from "@preact/signals"
import type { Json, JsonObject, ToolResultPart } from "../api/Types.ts"
import { Button } from "../ui/Button.tsx"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { prettyJson } from "../ui/code/PrettyJson.ts"
import { imageData } from "../ui/files/Safe.ts"
import { Fold } from "../ui/Fold.tsx"
import { Icon } from "../ui/Icon.tsx"
import { bytes, count, cut, duration } from "../ui/Numbers.ts"
import { ProgressBar } from "../ui/ProgressBar.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { answerWords, ApprovalCard } from "./ApprovalCard.tsx"
import { type CallBlock, openQuestions } from "./TurnModel.ts"
import { TurnQuestion } from "./TurnQuestion.tsx"

/** What a person had sent instead. */
const Changed = ({ args }: { readonly args: JsonObject }) => (
  <>
    <h3>Arguments that were sent</h3>
    <CodeBlock code={JSON.stringify(args, null, 2)} language="json" isWrapped label="Arguments that were sent" />
  </>
)

const compact = (args: Json): string => cut(JSON.stringify(args), 120)

const shown = (text: string): { readonly code: string; readonly language: string } => {
  const json = prettyJson(text)
  return json === null ? { code: text, language: "" } : { code: json, language: "json" }
}

const gist = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const first = cut((lines[0] ?? "").trim(), 140)
  return lines.length > 1 ? `${first} … ${count(lines.length, "line")}` : first
}

const images = (content: ReadonlyArray<JsonObject>) =>
  content.map((block) => block["type"] === "image" ? imageData(block["mimeType"], block["data"]) : null)
    .filter((address) => address !== null)

const Cut = ({ part: { truncated } }: { readonly part: ToolResultPart }) => {
  // A result that is whole here may still be too long for a model.
  if (truncated === null || truncated.shownBytes === truncated.bytes) return null
  return (
    <p class="muted small">
      Cut: {bytes(truncated.shownBytes)} of {bytes(truncated.bytes)} are shown.
      {truncated.file === null ? null : (
        <>
          {" The whole of it is kept as "}
          <code>{truncated.file}</code>.
        </>
      )}
    </p>
  )
}

/** More than so many characters are shown on demand: a browser lays out megabytes of lines for seconds. */
const MUCH = 100_000

const Result = ({ part }: { readonly part: ToolResultPart }) => {
  const isWhole = useSignal(part.text.length <= MUCH)
  const name = part.isError ? "Error" : "Result"
  return (
    <>
      <h3>{name}</h3>
      <CodeBlock
        {...isWhole.value ? shown(part.text) : { code: part.text.slice(0, MUCH) }}
        whole={part.text}
        isWrapped
        label={name}
      />
      {isWhole.value ? null : (
        <p class="muted small">
          This is the beginning, {bytes(MUCH)} of {bytes(part.text.length)}.{" "}
          <Button isSmall onClick={() => isWhole.value = true}>Show all of it</Button>
        </p>
      )}
      <Cut part={part} />
    </>
  )
}

const Details = ({ block: { answer, call, result } }: { readonly block: CallBlock }) => (
  <div class="fold-body">
    <h3>{call.server === null ? "Arguments, to a built-in tool" : `Arguments, to the server ${call.server}`}</h3>
    <CodeBlock code={JSON.stringify(call.args, null, 2)} language="json" isWrapped label="Arguments" />
    {answer?.args === undefined ? null : <Changed args={answer.args} />}
    {result === null ? null : <Result part={result} />}
  </div>
)

/** For a person: to be allowed, or to have its server's question answered. */
const isWaiting = (block: CallBlock): boolean =>
  block.approval !== null && block.answer === null || openQuestions(block).length > 0

const State = ({ block }: { readonly block: CallBlock & { readonly isOver: boolean } }) => {
  const { result } = block
  if (result !== null) {
    return (
      <span class="state">
        <Icon name={result.isError ? "warning" : "check"} />
        {`${result.isError ? "failed" : "done"}, ${duration(result.millis)}`}
      </span>
    )
  }
  if (block.isOver) return <span class="state">not finished</span>
  if (isWaiting(block)) return <span class="state">waits for you</span>
  return (
    <span class="state">
      <Spinner label="" /> running
    </span>
  )
}

interface ToolCallProps {
  readonly block: CallBlock
  /** The turn has ended, so a call without a result gets none any more. */
  readonly isOver: boolean
}

const tone = (block: CallBlock, isOver: boolean) => {
  if (block.result !== null) return block.result.isError ? "failed" : ""
  if (isOver) return "failed"
  return isWaiting(block) ? "asking" : "running"
}

export const ToolCallCard = ({ block, isOver }: ToolCallProps) => {
  const { answer, approval, call, progress, questions, result } = block
  const isAsking = approval !== null && answer === null && result === null && !isOver
  const pictures = result === null ? [] : images(result.content)
  return (
    // Not a region: a long chat would have hundreds of landmarks.
    <section class={`tool ${tone(block, isOver)}`} role="group" aria-label={`Tool call ${call.name}`}>
      <div class="tool-head">
        <Icon name="tool" />
        <span class="tool-name">{call.name}</span>
        {isAsking ? <span class="grow" /> : <code class="args">{compact(call.args)}</code>}
        <State block={{ ...block, isOver }} />
      </div>
      {isAsking ? <ApprovalCard approval={approval} /> : null}
      {result === null && progress !== null && !isOver ? <ProgressBar name={call.name} {...progress} /> : null}
      {answer === null ? null : <p class="gist">{answerWords(answer)}</p>}
      {questions.map((asked) => (
        <TurnQuestion key={asked.question.id} asked={asked} isOver={isOver || result !== null} />
      ))}
      {result === null ? null : <p class="gist">{gist(result.text)}</p>}
      {pictures.length === 0
        ? null
        : <div class="pictures">{pictures.map((src) => <img key={src} src={src} alt={`from ${call.name}`} />)}</div>}
      {isAsking ? null : (
        <Fold
          summary={result === null ? "Arguments" : "Arguments and result"}
          inside={() => <Details block={block} />}
        />
      )}
    </section>
  )
}
