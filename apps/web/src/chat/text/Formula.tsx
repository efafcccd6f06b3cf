/**
 * A formula, drawn by KaTeX from TeX. A formula that is wrong stands as it is written. Nothing in it opens an address, loads a
 * file or defines without end; one that is longer than a page is not drawn.
 */
import katex from "katex"
import "katex/dist/katex.min.css"
import { useLayoutEffect, useRef } from "preact/hooks"

const LONGEST = 5000

export interface FormulaProps {
  readonly tex: string
  readonly isBlock: boolean
}

const draw = (place: HTMLElement, { isBlock, tex }: FormulaProps) => {
  try {
    katex.render(tex, place, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxExpand: 500,
      maxSize: 30
    })
  } catch {
    place.textContent = tex
  }
}

export const Formula = (props: FormulaProps) => {
  const { isBlock, tex } = props
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (place.current !== null && tex.length <= LONGEST) draw(place.current, { isBlock, tex })
  }, [tex, isBlock])
  return tex.length > LONGEST
    ? <code>{tex}</code>
    : <span class={isBlock ? "formula block" : "formula"} ref={place} tabIndex={isBlock ? 0 : undefined} />
}
