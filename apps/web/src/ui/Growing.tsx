/** A long list that shows its beginning, and more as somebody comes to its end: ten thousand items hold up nothing. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "./Button.tsx"

interface GrowingProps<A> {
  readonly items: ReadonlyArray<A>
  readonly render: (item: A) => ComponentChildren
  readonly label: string
  readonly class?: string
}

const STEP = 60

export function Growing<A>({ class: name, items, label, render }: GrowingProps<A>) {
  const [shown, setShown] = useState(STEP)
  const end = useRef<HTMLDivElement>(null)
  const isMore = shown < items.length
  useEffect(() => {
    const mark = end.current
    if (!isMore || mark === null) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setShown((before) => before + STEP)
    }, { rootMargin: "400px" })
    observer.observe(mark)
    return () => observer.disconnect()
  }, [isMore, shown])
  return (
    <>
      <ul class={name ?? ""} aria-label={label}>{items.slice(0, shown).map(render)}</ul>
      {isMore
        ? (
          <div ref={end} class="growing-end">
            <span>{shown} of {items.length} are shown</span>
            <Button isSmall onClick={() => setShown(shown + STEP)}>Show more</Button>
          </div>
        )
        : null}
    </>
  )
}
