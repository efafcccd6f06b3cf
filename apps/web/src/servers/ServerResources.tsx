/** The resources of a server, read when somebody wants to see one. */
import { useSignal } from "@preact/signals"
import { words } from "../api/Client.ts"
import type { Resource } from "../api/Types.ts"
import { Content } from "../tools/ResultContent.tsx"
import { Button } from "../ui/Button.tsx"
import { Growing } from "../ui/Growing.tsx"
import { Notice } from "../ui/Notice.tsx"
import { bytes } from "../ui/Words.ts"
import { readResource, type ResourceContent, type ResourceTemplate } from "./ServersApi.ts"

interface ServerResourcesProps {
  readonly server: string
  readonly resources: ReadonlyArray<Resource>
  readonly templates: ReadonlyArray<ResourceTemplate>
}

export const ServerResources = ({ resources, server, templates }: ServerResourcesProps) => (
  <>
    {resources.length === 0 ? null : (
      <Growing
        items={resources}
        class="offer-list"
        label="Resources"
        render={(resource) => <OneResource key={resource.uri} server={server} resource={resource} />}
      />
    )}
    {templates.length === 0 ? null : (
      <>
        <h2 class="section-heading">Templates</h2>
        <ul class="offer-list" aria-label="Resource templates">
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

const OneResource = ({ resource, server }: { readonly resource: Resource; readonly server: string }) => {
  const contents = useSignal<ReadonlyArray<ResourceContent> | null>(null)
  const refused = useSignal<ReturnType<typeof words> | null>(null)
  const isReading = useSignal(false)
  const { description, mimeType, name, size, title, uri } = resource
  const read = async () => {
    isReading.value = true
    refused.value = null
    await readResource(server, uri).then((answer) => {
      contents.value = answer.contents
    }, (error) => {
      refused.value = words(error)
    })
    isReading.value = false
  }
  const isOpen = contents.value !== null
  return (
    <li>
      <h2>{title ?? name}</h2>
      <p class="muted">
        <code>{uri}</code> {[mimeType, size === null ? null : bytes(size)].filter((part) => part !== null).join(", ")}
      </p>
      {description === null ? null : <p class="words">{description}</p>}
      <div class="row">
        <Button
          isSmall
          icon={isOpen ? "close" : "book"}
          aria-label={`${isOpen ? "Close" : "Read"} ${title ?? name}`}
          disabled={isReading.value}
          onClick={() => isOpen ? contents.value = null : void read()}
        >
          {isOpen ? "Close" : "Read"}
        </Button>
      </div>
      {refused.value === null
        ? null
        : <Notice tone="bad" isUrgent hint={refused.value.hint}>{refused.value.message}</Notice>}
      {(contents.value ?? []).map(({ blob, mimeType: type, text, uri: at }, index) => (
        <Content
          key={index}
          block={{ type: "resource", resource: { uri: at, mimeType: type, ...(text === null ? { blob } : { text }) } }}
        />
      ))}
    </li>
  )
}
