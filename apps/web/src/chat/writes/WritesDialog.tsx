/** The journal of a chat: what its tools wrote, the newest first, and undoing it. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listWrites } from "../../api/Api.ts"
import type { JournaledWrite } from "../../api/Types.ts"
import { written as words } from "../../messages/ApprovalMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { toolsByName } from "../../state/Catalog.ts"
import { ClassBadge } from "../../tools/ToolBadges.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Fold } from "../../ui/Fold.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { Row } from "../../ui/lists/Row.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ArgumentFields } from "../calls/ArgumentFields.tsx"
import { subjectOf, titleOf } from "../calls/CallWords.ts"
import { allowedWords, UndoButton } from "./WriteNote.tsx"

interface WrittenRowProps {
  readonly chat: string
  readonly write: JournaledWrite
}

const WrittenRow = ({ chat, write }: WrittenRowProps) => {
  const { args, class: kind, id, name, outcome, server, turn, undo } = write
  const subject = subjectOf(args)
  return (
    <Row
      label={name}
      icon={server === null ? <Icon name="tool" /> : <Letter name={server} />}
      title={titleOf(name, server, toolsByName.value.get(name))}
      meta={
        <>
          {subject === "" ? null : (
            <>
              <code>{subject}</code> ·{" "}
            </>
          )}
          {words.turn(turn)} <ClassBadge toolClass={kind} /> {outcome === "done"
            ? null
            : <Badge tone={outcome === "failed" ? "bad" : "warn"}>{words.outcomes[outcome]}</Badge>}
        </>
      }
      action={undo.possible
        ? <UndoButton chat={chat} id={id} name={name} />
        : undo.undoneAt === null
        ? null
        : <span class="muted small">{words.undone}</span>}
    >
      <p class="muted small">
        {allowedWords(write)}
        {undo.why === null || undo.undoneAt !== null || outcome === "failed" ? "" : ` ${words.notUndoable(undo.why)}`}
      </p>
      <Fold
        summary={words.arguments}
        inside={() => <ArgumentFields args={args} tool={name} label={words.argumentsOf(name)} />}
      />
    </Row>
  )
}

export const WritesDialog = ({ chat, onClose }: { readonly chat: string; readonly onClose: () => void }) => {
  const writes = useSignal<ReadonlyArray<JournaledWrite> | null>(null)
  const { refused, run } = useAttempt()
  useEffect(() =>
    void run(async () => {
      writes.value = (await listWrites(chat)).writes
    }), [])
  const all = writes.value
  return (
    <Dialog title={words.journal} isWide onClose={onClose}>
      <Refused why={refused.value} />
      {all === null
        ? refused.value === null ? <Spinner label={words.reading} /> : null
        : all.length === 0
        ? <p class="muted">{words.nothing}</p>
        : (
          <ul class="items" aria-label={words.journal}>
            {all.map((write) => <WrittenRow key={write.id} chat={chat} write={write} />)}
          </ul>
        )}
    </Dialog>
  )
}
