/** A long list that shows its beginning, and more as somebody comes to its end: ten thousand items hold up nothing. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { ui } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"

const STEP = 60

/** How many of `total` items are shown now, and what stands after them while there are more. */
export const useGrowing = (total: number): { readonly shown: number; readonly end: ComponentChildren } => {
  const [shown, setShown] = useState(STEP)
  const end = useRef<HTMLDivElement>(null)
  const isMore = shown < total
  useEffect(() => {
    const mark = end.current
    if (!isMore || mark === null) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setShown((before) => before + STEP)
    }, { rootMargin: "400px" })
    observer.observe(mark)
    return () => observer.disconnect()
  }, [isMore, shown])
  if (!isMore) return { shown: total, end: null }
  return {
    shown,
    end: (
      <div ref={end} class="growing-end">
        <span>{ui.shownOf(shown, total)}</span>
        <Button isSmall onClick={() => setShown(shown + STEP)}>{ui.showMore}</Button>
      </div>
    )
  }
}

interface GrowingProps<A> {
  readonly items: ReadonlyArray<A>
  readonly render: (item: A) => ComponentChildren
  readonly label: string
  readonly class?: string
}

export function Growing<A>({ class: name, items, label, render }: GrowingProps<A>) {
  const { end, shown } = useGrowing(items.length)
  return (
    <>
      <ul class={name ?? ""} aria-label={label}>{items.slice(0, shown).map(render)}</ul>
      {end}
    </>
  )
}
