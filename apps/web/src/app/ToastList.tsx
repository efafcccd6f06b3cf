/** Shows the toasts; a screen reader hears each. */
import { ui } from "../messages/UiMessages.ts"
import { dismiss, toasts } from "../state/Toasts.ts"
import { Button } from "../ui/Button.tsx"
import { asSentence } from "../ui/code/ShownCommand.ts"

export const ToastList = () => (
  <div class="toasts" role="status" aria-live="polite" aria-label={ui.toasts}>
    {toasts.value.map(({ hint, id, isBad, text }) => (
      <div key={id} class={isBad ? "toast bad" : "toast"}>
        <div>
          <p>{text}</p>
          {hint === null ? null : <p class="hint">{asSentence(hint)}</p>}
        </div>
        <Button kind="plain" isSmall icon="close" label={ui.dismiss} onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)
