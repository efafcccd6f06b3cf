/** A server's words about its tool: its behaviour, in badges, and its purpose. */
import type { Tool } from "../api/Types.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"

export const ToolBadges = (
  { tool: { class: toolClass, needsApproval, openWorld } }: { readonly tool: Tool }
) => (
  <>
    {needsApproval ? <Badge tone="warn">{texts.asksFirst}</Badge> : null}
    <ClassBadge toolClass={toolClass} />
    {openWorld ? <Badge>{texts.reachesOutside}</Badge> : null}
  </>
)

export const ClassBadge = ({ toolClass }: { readonly toolClass: Tool["class"] }) => {
  const { text, tone } = CLASSES[toolClass]
  return tone === null ? <Badge>{text}</Badge> : <Badge tone={tone}>{text}</Badge>
}

const CLASSES: Readonly<Record<Tool["class"], { readonly text: string; readonly tone: Tone | null }>> = {
  reads: { text: texts.onlyReads, tone: "good" },
  undeclared: { text: texts.doesNotSay, tone: null },
  writes: { text: texts.writes, tone: "warn" },
  destroys: { text: texts.mayDestroy, tone: "bad" }
}

const LONG = 500

export const ToolDescription = ({ tool: { description } }: { readonly tool: Tool }) =>
  description === null ? null : (
    // A long one scrolls, which a keyboard does only where the focus can be.
    <p class="words tool-description" {...(description.length > LONG ? { tabIndex: 0 } : {})}>{description}</p>
  )
