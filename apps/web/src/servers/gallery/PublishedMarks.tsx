/** The marks beside a published server wherever it is named. */
import type { PublishedSummary } from "../../api/Types.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { Badge } from "../../ui/Badge.tsx"

/** The word of the address in place of a server: no server is called so. */
export const FIND = "+find"

interface MarksProps {
  readonly status: PublishedSummary["status"]
  readonly installed: boolean
}

export const Marks = ({ installed, status }: MarksProps) => (
  <>
    {status === "active" ? null : <Badge tone={status === "deleted" ? "bad" : "warn"}>{words.status[status]}</Badge>}
    {installed ? <Badge tone="accent">{words.installed}</Badge> : null}
  </>
)
