/** Code, or any text as it is: coloured where the language is known, scrolling, with a button to copy it. */
import type { TextStyle } from "@boocode/mcp-registry"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { ui } from "../../messages/UiMessages.ts"
import { Copy } from "./Copy.tsx"
import { highlighter, loadHighlighter } from "./Highlighter.ts"
import { styledText } from "./StyledText.tsx"

interface CodeBlockProps {
  readonly code: string
  readonly language?: string
  /** Shown above the code; without it there is no bar. */
  readonly title?: string
  /** Long lines go on below instead of to the side. */
  readonly isWrapped?: boolean
  /** More is still coming, so colours wait. */
  readonly isOpen?: boolean
  readonly label?: string
  /** The text that is copied, where only a part of it is shown. */
  readonly whole?: string
  /** The colours that it came with; code has them instead of those of its language. */
  readonly styles?: ReadonlyArray<TextStyle>
  /** Further buttons of the bar. */
  readonly actions?: ComponentChildren
}

export const CodeBlock = (props: CodeBlockProps) => {
  const { actions, code, isOpen = false, isWrapped = false, label, language = "", styles = [], title, whole = code } =
    props
  const highlight = highlighter.value
  const isPlain = language === "" || isOpen
  useEffect(() => {
    if (!isPlain) loadHighlighter()
  }, [isPlain])
  const coloured = useMemo(
    () => {
      if (styles.length > 0) return styledText(code, styles)
      return isPlain || highlight === null ? null : highlight(language, code)
    },
    [isPlain, highlight, language, code, styles]
  )
  const copy = <Copy text={() => whole} label={ui.copyCode} />
  return (
    <div class={isWrapped ? "code wrapped" : "code"}>
      {title === undefined ? null : (
        <div class="bar">
          <span class="bar-title">{title}</span>
          {copy}
          {actions}
        </div>
      )}
      <pre tabIndex={0} role="group" aria-label={label ?? title ?? ui.code}><code>{coloured ?? code}</code></pre>
      {title === undefined ? copy : null}
    </div>
  )
}
