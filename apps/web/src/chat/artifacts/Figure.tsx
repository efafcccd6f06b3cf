/** A picture or a diagram of an answer, drawn where it stands. */
import { artifact as words } from "../../messages/chat/ArtifactMessages.ts"
import { Copy } from "../../ui/code/Copy.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { Beside, linesIn } from "./ArtifactCard.tsx"
import { Diagram, Picture } from "./Drawing.tsx"

interface FigureProps {
  readonly kind: "svg" | "mermaid"
  readonly name: string
  readonly text: string
  readonly isOpen: boolean
}

export const Figure = ({ isOpen, kind, name, text }: FigureProps) => (
  <figure class="artifact-figure">
    {isOpen
      ? (
        <div class="drawing waiting">
          <Spinner label="" /> <span class="muted small">{words.writing(linesIn(text))}</span>
        </div>
      )
      : kind === "svg"
      ? <Picture text={text} name={name} />
      : <Diagram text={text} name={name} />}
    <figcaption>
      <span class="artifact-name">{name}</span>
      <Copy text={() => text} label={words.copy} />
      <Beside text={text} name={name} />
    </figcaption>
  </figure>
)
