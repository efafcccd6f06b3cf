/** A program with the numbers of its lines, and a mark at those that run, wait or failed. */
import { useEffect, useMemo, useRef } from "preact/hooks"
import { program as words } from "../../messages/chat/ProgramMessages.ts"
import { Copy } from "../../ui/code/Copy.tsx"
import { highlighter, loadHighlighter } from "../../ui/code/Highlighter.ts"
import type { LineState } from "./ProgramState.ts"

interface ProgramCodeProps {
  readonly code: string
  readonly lines: ReadonlyMap<number, LineState>
}

const SAID: Readonly<Record<LineState, (line: number) => string>> = {
  running: words.lineRuns,
  waiting: words.lineWaits,
  failed: words.lineFailed
}

export const ProgramCode = ({ code, lines }: ProgramCodeProps) => {
  const highlight = highlighter.value
  useEffect(loadHighlighter, [])
  const coloured = useMemo(() => highlight === null ? null : highlight("typescript", code), [highlight, code])
  const box = useRef<HTMLPreElement>(null)
  const [first] = lines.keys()
  useEffect(() => {
    const mark = box.current?.querySelector<HTMLElement>("[data-line]")
    // Only the code moves, never the conversation.
    if (box.current !== null && mark !== null && mark !== undefined) {
      box.current.scrollTop = mark.offsetTop - box.current.clientHeight / 2
    }
  }, [first])
  return (
    <div class="code program-code">
      <pre ref={box} tabIndex={0} role="group" aria-label={words.code}>
        <span class="program-lines" aria-hidden="true">
          {code.split("\n").map((_, at) => {
            const state = lines.get(at + 1)
            return state === undefined
              ? <span key={at}>{at + 1}</span>
              : <span key={at} data-line={state}>{at + 1}</span>
          })}
        </span>
        <code>{coloured ?? code}</code>
      </pre>
      <p class="visually-hidden" role="status">
        {[...lines].map(([line, state]) => SAID[state](line)).join(". ")}
      </p>
      <Copy text={() => code} />
    </div>
  )
}
