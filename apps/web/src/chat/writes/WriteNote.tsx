/** What a call wrote: taking it back, and who let it be made. */
import { useContext, useEffect } from "preact/hooks"
import type { WritePart } from "../../api/Types.ts"
import { written as words } from "../../messages/ChatMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { goOn } from "../../ui/Focus.ts"
import { ChatId } from "../open/OpenChat.ts"
import { learnUndone, undo, undone } from "./Undone.ts"

interface UndoButtonProps {
  readonly chat: string
  readonly id: string
  /** The tool that wrote. */
  readonly name: string
}

/** Undoes a write, once; why it could not be undone stays there. */
export const UndoButton = ({ chat, id, name }: UndoButtonProps) => {
  const { isBusy, refused, run } = useAttempt()
  if (undone.value.has(id)) return <span role="status">{words.undone}</span>
  const act = async () => {
    if (await run(() => undo(chat, id))) requestAnimationFrame(goOn)
  }
  return (
    <>
      <Button
        kind="plain"
        isSmall
        icon="undo"
        aria-label={words.undoOf(name)}
        aria-disabled={isBusy.value}
        onClick={() => isBusy.value || void act()}
      >
        {words.undo}
      </Button>
      <Refused why={refused.value} />
    </>
  )
}

/** Below the line of a call, where there is something to do or to know. */
export const WriteNote = ({ part: { id, name, outcome, undo } }: { readonly part: WritePart }) => {
  const chat = useContext(ChatId)
  const isUnknown = outcome === "unknown"
  const isUndoable = undo?.possible === true
  useEffect(() => {
    if (isUndoable) learnUndone(chat)
  }, [chat, isUndoable])
  if (!isUnknown && !isUndoable) return null
  return (
    <div class={isUnknown ? "call-note unknown" : "call-note"}>
      {isUnknown ? <p>{words.unknown}</p> : null}
      {isUndoable ? <UndoButton chat={chat} id={id} name={name} /> : null}
    </div>
  )
}

/** Who let a call be made that wrote. */
export const allowedWords = ({ allowedBy, source }: Pick<WritePart, "allowedBy" | "source">): string =>
  allowedBy === "grant" || allowedBy === "rule" ? words.by[allowedBy](source) : words.by[allowedBy]

/** Who let it be made, and why it cannot be undone. */
export const WriteSource = ({ part }: { readonly part: WritePart }) => {
  const why = part.undo?.why ?? null
  return (
    <p class="muted small">
      {allowedWords(part)}
      {why === null ? "" : ` ${words.notUndoable(why)}`}
    </p>
  )
}
