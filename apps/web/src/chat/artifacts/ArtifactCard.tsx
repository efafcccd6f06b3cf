/** A page that an answer made, as a card; and the button that opens any other thing beside the chat. */
import { useContext } from "preact/hooks"
import { artifact as words } from "../../messages/chat/ArtifactMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { PlaceBeside } from "./PlaceBeside.ts"
import "./artifacts.css"

interface ArtifactProps {
  readonly name: string
  readonly text: string
}

/** Readers of a shared chat have no place beside it. */
export const Beside = ({ name, text }: ArtifactProps) => {
  const open = useContext(PlaceBeside)
  return open === null ? null : (
    <Button
      class="artifact-open"
      kind="plain"
      isSmall
      icon="open"
      label={words.openNamed(name)}
      onClick={() => open(text)}
    />
  )
}

export const linesIn = (text: string): number => text.split("\n").length

/** A page is as long as it is no pleasure to read: the answer has a card of it. */
export const PageCard = ({ isOpen, name, text }: ArtifactProps & { readonly isOpen: boolean }) => {
  const open = useContext(PlaceBeside)
  if (open === null) return <CodeBlock code={text} language="html" title={name} isOpen={isOpen} />
  return (
    <button type="button" class="artifact-card artifact-open" onClick={() => open(text)}>
      <span class="artifact-icon">{isOpen ? <Spinner label="" /> : <Icon name="open" />}</span>
      <span class="artifact-about">
        <span class="artifact-name">{name}</span>
        <span class="muted small">
          {words.kind.html}, {isOpen ? words.writing(linesIn(text)) : words.lines(linesIn(text))}
        </span>
      </span>
      <span class="visually-hidden">{words.open}</span>
      <Icon name="right" />
    </button>
  )
}
