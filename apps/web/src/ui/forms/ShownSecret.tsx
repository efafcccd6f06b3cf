/** Something that is shown once: a link or a token. `children` say what else goes with it. */
import type { ComponentChildren } from "preact"
import { ui as words } from "../../messages/UiMessages.ts"
import { Button } from "../Button.tsx"
import { Copy } from "../code/Copy.tsx"
import { Dialog } from "../Dialog.tsx"
import "../panels.css"

interface ShownSecretProps {
  readonly title: string
  readonly about: string
  readonly copy: string
  readonly text: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export const ShownSecret = ({ about, children, copy, onClose, text, title }: ShownSecretProps) => (
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
      {children}
      <div class="row">
        <Button kind="primary" onClick={onClose}>{words.done}</Button>
      </div>
    </div>
  </Dialog>
)
