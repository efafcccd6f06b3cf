/** That something worked, in a line. */
import type { ComponentChildren } from "preact"
import { Icon } from "./Icon.tsx"

export const Success = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="success" role="status">
    <Icon name="check" />
    {children}
  </p>
)
