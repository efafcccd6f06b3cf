/** What a tool says of itself, and whether it asks first. */
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
