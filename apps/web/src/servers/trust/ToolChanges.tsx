/** How the tools of a server differ from what they were. */
import type { ToolDifference } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"

interface Change {
  readonly before: string | null
  readonly after: string | null
}

export const Pair = ({ change: { after, before } }: { readonly change: Change }) => (
  <>
    {before === null ? null : (
      <del>
        <span class="visually-hidden">{texts.was}</span>
        {before}
      </del>
    )} {after === null ? null : (
      <ins>
        <span class="visually-hidden">{texts.is}</span>
        {after}
      </ins>
    )}
  </>
)

type Difference = Pick<ToolDifference, "added" | "changed" | "removed">

export const ToolChanges = ({ difference: { added, changed, removed } }: { readonly difference: Difference }) => (
  <ul class="changes" aria-label={texts.changedTools}>
    {changed.map(({ parts, tool }) => (
      <li key={`changed ${tool}`}>
        <p>
          {texts.changed} <code>{tool}</code>
        </p>
        {parts.map((part, index) => (
          <p key={index} class="change">
            <span class="muted">{part.path === "" ? texts.itsDefinition : part.path}</span> <Pair change={part} />
          </p>
        ))}
      </li>
    ))}
    {added.map(({ description, tool }) => (
      <li key={`added ${tool}`}>
        <p>
          {texts.added} <code>{tool}</code> <ins>{description ?? ""}</ins>
        </p>
      </li>
    ))}
    {removed.map((tool) => (
      <li key={`removed ${tool}`}>
        {texts.removed} <code>{tool}</code>
      </li>
    ))}
  </ul>
)
