/** The resources of a server and its templates of addresses. */
import type { Resource, ResourceTemplate } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Growing } from "../../ui/forms/Growing.tsx"
import { OneResource } from "./OneResource.tsx"

interface ServerResourcesProps {
  readonly server: string
  readonly resources: ReadonlyArray<Resource>
  readonly templates: ReadonlyArray<ResourceTemplate>
  /** Whether it tells when one changes. */
  readonly canWatch: boolean
}

export const ServerResources = ({ canWatch, resources, server, templates }: ServerResourcesProps) => (
  <>
    {resources.length === 0 ? null : (
      <Growing
        items={resources}
        class="offer-list"
        label={texts.resources}
        render={(resource) => (
          <OneResource
            key={resource.uri}
            server={server}
            resource={resource}
            canWatch={canWatch}
          />
        )}
      />
    )}
    {templates.length === 0 ? null : (
      <>
        <h2 class="section-heading">{texts.templates}</h2>
        <ul class="offer-list" aria-label={texts.resourceTemplates}>
          {templates.map(({ description, mimeType, name, title, uriTemplate }) => (
            <li key={uriTemplate}>
              <h2>{title ?? name}</h2>
              <p class="muted">
                <code>{uriTemplate}</code> {mimeType ?? ""}
              </p>
              {description === null ? null : <p class="words">{description}</p>}
            </li>
          ))}
        </ul>
      </>
    )}
  </>
)
