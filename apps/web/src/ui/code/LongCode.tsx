/** A text of any length: its beginning, and more of it when somebody asks. Megabytes at once would hold up the page. */
import { useSignal } from "@preact/signals"
import { Button } from "../Button.tsx"
import { saveText } from "../files/Saving.ts"
import { bytes } from "../Numbers.ts"
import { CodeBlock } from "./CodeBlock.tsx"

interface LongCodeProps {
  readonly code: string
  readonly label: string
  readonly language?: string
  readonly title?: string
  readonly isWrapped?: boolean
}

const FIRST = 30_000
const STEP = 200_000

export const LongCode = ({ code, label, ...look }: LongCodeProps) => {
  const shown = useSignal(FIRST)
  if (code.length <= shown.value) return <CodeBlock code={code} label={label} {...look} />
  return (
    <div class="long-code">
      <CodeBlock code={code.slice(0, shown.value)} whole={code} label={label} {...look} />
      <div class="row">
        <span class="muted">The first {bytes(shown.value)} of {bytes(code.length)} are shown.</span>
        <Button isSmall aria-label={`Show more of ${label}`} onClick={() => shown.value += STEP}>Show more</Button>
        <Button
          isSmall
          icon="download"
          aria-label={`Save all of ${label}`}
          onClick={() => saveText(code, look.language === "json" ? "result.json" : "result.txt")}
        >
          Save all
        </Button>
      </div>
    </div>
  )
}
