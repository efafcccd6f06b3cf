/** The writes of a call: undoing them, and who let the call be made. */
import { useContext, useEffect } from "preact/hooks"
import type { WritePart } from "../../api/Types.ts"
import { written as words } from "../../messages/ApprovalMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { goOn } from "../../ui/Focus.ts"
import { ChatId } from "../open/OpenChat.ts"
import { learnUndone, undo, undone } from "./Undone.ts"
import "./writes.css"

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

interface WriteNoteProps {
  readonly part: WritePart
  /** The person's answer to this call; null where nobody was asked. */
  readonly said: string | null
}

/** Below the line of a call that wrote: who let it, and taking it back. */
export const WriteNote = ({ part, said }: WriteNoteProps) => {
  const chat = useContext(ChatId)
  const { id, name, outcome, undo } = part
  const isUndoable = undo?.possible === true
  useEffect(() => {
    if (isUndoable) learnUndone(chat)
  }, [chat, isUndoable])
  return (
    <div class="call-note">
      <span>{said ?? allowedWords(part)}</span>
      {outcome === "unknown" ? <span class="unknown">{words.unknown}</span> : null}
      {isUndoable ? <UndoButton chat={chat} id={id} name={name} /> : null}
    </div>
  )
}

/** The words about who allowed a call that wrote. */
export const allowedWords = ({ allowedBy, source }: Pick<WritePart, "allowedBy" | "source">): string =>
  allowedBy === "grant" || allowedBy === "rule" ? words.by[allowedBy](source) : words.by[allowedBy]

/** Why it cannot be undone, where a person may wonder: a call that failed wrote nothing. */
export const WriteSource = ({ part }: { readonly part: WritePart }) => {
  const why = part.undo?.why ?? null
  return why === null || part.outcome === "failed" ? null : <p class="muted small">{words.notUndoable(why)}</p>
}
