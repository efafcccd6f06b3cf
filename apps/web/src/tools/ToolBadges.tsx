/** What a tool says of itself, and whether it asks first. */
import type { Tool } from "../api/Types.ts"
import { Badge } from "../ui/Badge.tsx"

export const ToolBadges = ({ tool: { annotations, needsApproval } }: { readonly tool: Tool }) => (
  <>
    {needsApproval ? <Badge tone="warn">asks first</Badge> : null}
    {annotations["readOnlyHint"] === true ? <Badge tone="good">only reads</Badge> : null}
    {annotations["readOnlyHint"] !== true && annotations["destructiveHint"] === true
      ? <Badge tone="bad">may destroy</Badge>
      : null}
    {annotations["openWorldHint"] === true ? <Badge>reaches outside</Badge> : null}
  </>
)
