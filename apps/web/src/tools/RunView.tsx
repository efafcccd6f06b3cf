/** The outcome of one call: rendered, or as the server sent it. */
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import type { ToolResult } from "../api/Types.ts"
import { bytes, duration } from "../messages/Numbers.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { Refused } from "../state/Attempt.tsx"
import { Badge } from "../ui/Badge.tsx"
import { LongCode } from "../ui/code/LongCode.tsx"
import { useGrowing } from "../ui/forms/Growing.tsx"
import { Segments } from "../ui/forms/Segments.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Content } from "./ResultContent.tsx"
import { outcomeWords, type Run } from "./Runs.ts"

const LOOKS = [["rendered", texts.rendered], ["raw", texts.raw]] as const

export const RunView = ({ run }: { readonly run: Run }) => {
  const look = useSignal<"rendered" | "raw">("rendered")
  const { tone, words } = outcomeWords(run)
  const { outcome } = run
  return (
    <section class="run" aria-label={texts.result}>
      <div class="run-head">
        <h2 class="section-heading">{texts.result}</h2>
        <Badge tone={tone}>{words}</Badge>
        <span class="muted run-millis">{duration(run.millis)}</span>
        {outcome.is === "answer"
          ? (
            <Segments
              label={texts.wayOfShowing}
              options={LOOKS}
              value={look.value}
              onChange={(id) => look.value = id}
            />
          )
          : null}
      </div>
      {outcome.is === "cancelled" ? <Notice tone="warn">{texts.cancelled}</Notice> : null}
      {outcome.is === "failure" ? <Refused why={outcome.problem} /> : null}
      {outcome.is === "answer"
        ? look.value === "raw"
          ? <Structure value={outcome.result} label={texts.rawResult} />
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

interface BlocksProps extends Pick<ToolResult, "content" | "text"> {
  readonly styles: ToolResult["styles"] | undefined
}

/** The colours are those of the whole text, which is that of its only block where there is one. */
const Blocks = ({ content, styles, text }: BlocksProps) => {
  const { end, shown } = useGrowing(content.length)
  return (
    <>
      {content.slice(0, shown).map((block, index) => (
        <Content key={index} block={block} styles={block["text"] === text ? styles : undefined} />
      ))}
      {end}
    </>
  )
}

const Rendered = ({ result }: { readonly result: ToolResult }) => (
  <div class={result.isError ? "run-content error" : "run-content"}>
    {result.isError ? <Notice tone="bad">{texts.answeredError}</Notice> : null}
    {result.content.length === 0 && result.structuredContent === null
      ? <p class="muted">{texts.noContent}</p>
      : null}
    <Blocks content={result.content} styles={result.styles} text={result.text} />
    {result.structuredContent === null ?
      null :
      <Structure value={result.structuredContent} label={texts.structuredContent} title={texts.structuredContent} />}
    {result.diagnostics.map((line) => <Notice key={line} tone="warn">{line}</Notice>)}
    {result.truncated === null ?
      null :
      (
        <Notice tone="warn">
          {texts.cut(
            bytes(result.truncated.shownBytes),
            bytes(result.truncated.bytes),
            result.truncated.file === null ? "" : texts.wholeKept(result.truncated.file)
          )}
        </Notice>
      )}
  </div>
)
