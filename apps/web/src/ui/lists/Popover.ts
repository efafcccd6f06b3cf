/** The shared part of menus and pickers: where there is room for the opened part, and that a press elsewhere closes it. */
import type { RefObject } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"

type Side = "up" | "down"

/** The side with more room. Calls `close` when something outside of the box is pressed, or takes the focus. */
export const useElsewhere = (box: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void): Side => {
  const [side, setSide] = useState<Side>("down")
  useLayoutEffect(() => {
    const { current } = box
    if (!isOpen || current === null) return undefined
    const { bottom, top } = current.getBoundingClientRect()
    setSide(innerHeight - bottom < Math.min(top, 340) ? "up" : "down")
    const elsewhere = (event: Event) => {
      if (event.target instanceof Node && !current.contains(event.target)) close()
    }
    document.addEventListener("pointerdown", elsewhere)
    document.addEventListener("focusin", elsewhere)
    return () => {
      document.removeEventListener("pointerdown", elsewhere)
      document.removeEventListener("focusin", elsewhere)
    }
  }, [isOpen])
  return side
}
