/** Something that is shown once: a link or a token. */
import { people as words } from "../messages/people/PeopleMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Copy } from "../ui/code/Copy.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import "../ui/panels.css"

interface ShownSecretProps {
  readonly title: string
  readonly about: string
  readonly copy: string
  readonly text: string
  readonly onClose: () => void
}

export const ShownSecret = ({ about, copy, onClose, text, title }: ShownSecretProps) => (
  <Dialog title={title} onClose={onClose}>
    <div class="stack">
      <p class="shown-text">
        <code>{text}</code>
        <Copy
          label={copy}
          text={() =>
            text}
        />
      </p>
      <p>{about}</p>
      <div class="row">
        <Button kind="primary" onClick={onClose}>{words.done}</Button>
      </div>
    </div>
  </Dialog>
)
