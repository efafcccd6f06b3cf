/** A word after a slash that names nothing: what the server said of it, and the names that may be meant. */
import { composer as words } from "../../messages/ChatMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { Notice } from "../../ui/Notice.tsx"
import type { Draft } from "./Draft.ts"

interface UnknownCommandProps {
  readonly draft: Draft
  /** Writes the text with another word after the slash. */
  readonly onText: (text: string) => void
}

export const UnknownCommand = ({ draft, onText }: UnknownCommandProps) => {
  const unknown = draft.unknown.value
  if (unknown === null) return null
  return (
    <div class="unknown-command">
      <Notice tone="bad" isUrgent>{unknown.message}</Notice>
      {unknown.nearest.length === 0 ? null : (
        <div class="row" role="group" aria-label={words.meant}>
          <span>{words.meant}</span>
          {unknown.nearest.map((name) => (
            <Button
              key={name}
              isSmall
              onClick={() => {
                draft.unknown.value = null
                // A function, so that a `$` in the name stays one.
                onText(draft.text.value.replace(/^\s*\/\S+/, () => `/${name}`))
              }}
            >
              /{name}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
