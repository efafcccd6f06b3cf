/** What a server says of its tool: how it behaves, in badges, and what it does. */
import type { Tool } from "../api/Types.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { Badge } from "../ui/Badge.tsx"

export const ToolBadges = ({ tool: { annotations, needsApproval } }: { readonly tool: Tool }) => (
  <>
    {needsApproval ? <Badge tone="warn">{texts.asksFirst}</Badge> : null}
    {annotations["readOnlyHint"] === true ? <Badge tone="good">{texts.onlyReads}</Badge> : null}
    {annotations["readOnlyHint"] !== true && annotations["destructiveHint"] === true
      ? <Badge tone="bad">{texts.mayDestroy}</Badge>
      : null}
    {annotations["openWorldHint"] === true ? <Badge>{texts.reachesOutside}</Badge> : null}
  </>
)

const LONG = 500

export const ToolDescription = ({ tool: { description } }: { readonly tool: Tool }) =>
  description === null ? null : (
    // A long one scrolls, which a keyboard does only where the focus can be.
    <p class="words tool-description" {...(description.length > LONG ? { tabIndex: 0 } : {})}>{description}</p>
  )
