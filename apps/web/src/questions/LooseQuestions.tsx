/**
 * Questions of servers in no chat, on every part of the page: one at a time in a dialog, over any other, or in a bar
 * while somebody types and when the person put it off. Closing the dialog answers nothing.
 */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { OpenQuestion } from "../api/Types.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { dropQuestion, questions } from "../state/OpenQuestions.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import { QuestionCard } from "./QuestionCard.tsx"
import "./questions.css"

/** A dialog that opens between two keystrokes swallows the second. */
const QUIET = 1500

let lastTyped = -Infinity
document.addEventListener("input", () => lastTyped = performance.now(), { capture: true })

/** When the page may put a dialog before the person, in milliseconds; 0 is now. */
const patience = (): number => Math.max(0, QUIET - (performance.now() - lastTyped))

/** The question whose dialog is open, whether one is held back, and the ways to change that. */
const useShown = (all: ReadonlyArray<OpenQuestion>) => {
  const shown = useSignal<string | null>(null)
  const later = useSignal<ReadonlySet<string>>(new Set())
  const isHeld = useSignal(false)
  const next = all.find(({ id }) => !later.value.has(id))?.id ?? null
  const current = all.find(({ id }) => id === shown.value) ?? null
  useEffect(() => {
    isHeld.value = next === null
    if (next === null || current !== null) return undefined
    let timer: ReturnType<typeof setTimeout>
    const open = () => {
      const wait = patience()
      isHeld.value = wait > 0
      if (wait > 0) timer = setTimeout(open, wait)
      else shown.value = next
    }
    open()
    return () => clearTimeout(timer)
  }, [next, current?.id])
  const putOff = (id: string) => {
    later.value = new Set(later.value).add(id)
    shown.value = null
  }
  return { current, isHeld: isHeld.value, show: (id: string) => shown.value = id, putOff }
}

/** A server, or the program that wants to call one. */
const askerOf = ({ server, wanted }: OpenQuestion): string => wanted?.program ?? server

const Bar = (
  { all, onAnswer }: { readonly all: ReadonlyArray<OpenQuestion>; readonly onAnswer: (id: string) => void }
) => {
  const [first] = all
  if (first === undefined) return null
  return (
    <>
      <Icon name="ask" />
      <p>
        {first.wanted === undefined ? texts.theServer : texts.theProgram} <strong>{askerOf(first)}</strong>{" "}
        {texts.waits}
        {all.length === 1 ? "." : texts.others(all.length - 1)}
      </p>
      <Button isSmall aria-label={texts.answerTo(askerOf(first))} onClick={() => onAnswer(first.id)}>
        {texts.answer}
      </Button>
    </>
  )
}

export const LooseQuestions = () => {
  const all = questions.value
  const { current, isHeld, putOff, show } = useShown(all)
  const isBar = all.length > 0 && current === null && isHeld
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The dialog that was put off gave the focus to nothing.
    if (isBar && document.activeElement === document.body) bar.current?.querySelector("button")?.focus()
  }, [isBar])
  return (
    <>
      {/* There before it has words: a screen reader tells what changes. */}
      <div class={isBar ? "asked-bar" : ""} role="status" ref={bar}>
        {isBar ? <Bar all={all} onAnswer={show} /> : null}
      </div>
      {current === null ?
        null :
        (
          <Dialog key={current.id} title={texts.asks(askerOf(current))} onClose={() => putOff(current.id)}>
            <QuestionCard question={current} isInChat={false} onAnswered={dropQuestion} />
          </Dialog>
        )}
    </>
  )
}
