/** What came of one call: rendered, or as the server sent it. */
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import type { ToolResult } from "../api/Types.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { LongCode } from "../ui/code/LongCode.tsx"
import { useGrowing } from "../ui/forms/Growing.tsx"
import { Notice } from "../ui/Notice.tsx"
import { bytes, duration } from "../ui/Numbers.ts"
import { Content } from "./ResultContent.tsx"
import { outcomeWords, type Run } from "./Runs.ts"

export const RunView = ({ run }: { readonly run: Run }) => {
  const isRaw = useSignal(false)
  const { tone, words } = outcomeWords(run)
  const { outcome } = run
  return (
    <section class="run" aria-label="Result">
      <div class="run-head">
        <h2 class="section-heading">Result</h2>
        <Badge tone={tone}>{words}</Badge>
        <span class="muted run-millis">{duration(run.millis)}</span>
        {outcome.is === "answer"
          ? (
            <div class="segments" role="group" aria-label="How the result is shown">
              <Button isSmall aria-pressed={!isRaw.value} onClick={() => isRaw.value = false}>Rendered</Button>
              <Button isSmall aria-pressed={isRaw.value} onClick={() => isRaw.value = true}>Raw</Button>
            </div>
          )
          : null}
      </div>
      {outcome.is === "cancelled" ? <Notice tone="warn">You cancelled it; the server was told.</Notice> : null}
      {outcome.is === "failure"
        ? <Notice tone="bad" isUrgent hint={outcome.problem.hint}>{outcome.problem.message}</Notice>
        : null}
      {outcome.is === "answer"
        ? isRaw.value
          ? <Structure value={outcome.result} label="The result as it came" />
          : <Rendered result={outcome.result} />
        : null}
    </section>
  )
}

interface StructureProps {
  readonly value: unknown
  readonly label: string
  readonly title?: string
}

const Structure = ({ value, ...look }: StructureProps) => (
  <LongCode code={useMemo(() => JSON.stringify(value, null, 2), [value])} language="json" {...look} />
)

const Blocks = ({ content }: Pick<ToolResult, "content">) => {
  const { end, shown } = useGrowing(content.length)
  return (
    <>
      {content.slice(0, shown).map((block, index) => <Content key={index} block={block} />)}
      {end}
    </>
  )
}

const Rendered = ({ result }: { readonly result: ToolResult }) => (
  <div class={result.isError ? "run-content error" : "run-content"}>
    {result.isError ? <Notice tone="bad">The tool was called, and answered with an error:</Notice> : null}
    {result.content.length === 0 && result.structuredContent === null
      ? <p class="muted">It answered without any content.</p>
      : null}
    <Blocks content={result.content} />
    {result.structuredContent === null ?
      null :
      <Structure value={result.structuredContent} label="Structured content" title="Structured content" />}
    {result.diagnostics.map((line) => <Notice key={line} tone="warn">{line}</Notice>)}
    {result.truncated === null ? null : (
      <Notice tone="warn">
        Cut: {bytes(result.truncated.shownBytes)} of {bytes(result.truncated.bytes)} are shown.
        {result.truncated.file === null ? "" : ` The whole of it is kept as ${result.truncated.file}.`}
      </Notice>
    )}
  </div>
)
