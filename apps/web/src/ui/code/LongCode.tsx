/** A text of any length: its beginning, and more of it when somebody asks. Megabytes at once would hold up the page. */
import type { TextStyle } from "@boocode/mcp-registry"
import { useSignal } from "@preact/signals"
import { bytes } from "../../messages/Numbers.ts"
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"
import { saveText } from "../files/Saving.ts"
import { CodeBlock } from "./CodeBlock.tsx"

interface LongCodeProps {
  readonly code: string
  readonly label: string
  readonly language?: string
  readonly title?: string
  readonly isWrapped?: boolean
  readonly styles?: ReadonlyArray<TextStyle>
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
        <span class="muted">{ui.firstOf(bytes(shown.value), bytes(code.length))}</span>
        <Button isSmall aria-label={ui.showMoreOf(label)} onClick={() => shown.value += STEP}>{ui.showMore}</Button>
        <Button
          isSmall
          icon="download"
          aria-label={ui.saveAllOf(label)}
          onClick={() => saveText(code, look.language === "json" ? "result.json" : "result.txt")}
        >
          {ui.saveAll}
        </Button>
      </div>
    </div>
  )
}
