/** The list of keyboard shortcuts. */
import { shell } from "../messages/ShellMessages.ts"
import { isHelpOpen, shortcuts } from "../state/Keys.ts"
import { Dialog } from "../ui/Dialog.tsx"

export const Shortcuts = () =>
  isHelpOpen.value
    ? (
      <Dialog title={shell.shortcuts} onClose={() => isHelpOpen.value = false}>
        <dl class="shortcuts">
          {shortcuts().map(({ keys, what }) => (
            <div key={keys}>
              <dt>{keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    )
    : null
