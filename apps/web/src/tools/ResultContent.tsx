/** One block of what a tool or resource gave. Everything of it is text, or a picture of a kind that cannot do anything. */
import type { Json, JsonObject } from "../api/Types.ts"
import { Button } from "../ui/Button.tsx"
import { CodeBlock } from "../ui/CodeBlock.tsx"
import { Notice } from "../ui/Notice.tsx"
import { bytes } from "../ui/Words.ts"
import { isObject } from "./form/SchemaReading.ts"

const IMAGE = /^image\/(png|jpeg|gif|webp)$/

const textOf = (value: Json | undefined): string | null => typeof value === "string" ? value : null

/** JSON, and only when it has a structure worth its colours. */
const isJson = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text) || text.length > 200_000) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const pretty = (text: string): string => JSON.stringify(JSON.parse(text), null, 2)

const Text = ({ label, text }: { readonly text: string; readonly label: string }) =>
  isJson(text)
    ? <CodeBlock code={pretty(text)} language="json" label={label} />
    : <CodeBlock code={text} isWrapped label={label} />

const save = (data: string, type: string, name: string) => {
  const content = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  // Never as what it says it is: a file that is saved is not opened in this page's name.
  const address = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name === "" ? `result.${type.split(/[/+;]/)[1] ?? "bin"}` : name
  link.click()
  URL.revokeObjectURL(address)
}

interface BinaryProps {
  readonly data: string
  readonly type: string
  readonly name: string
}

const Binary = ({ data, name, type }: BinaryProps) =>
  IMAGE.test(type)
    ? <img class="result-image" src={`data:${type};base64,${data}`} alt={name === "" ? "Image from the tool" : name} />
    : (
      <div class="row">
        <span class="muted">
          {name === "" ? "" : `${name}, `}
          {type === "" ? "binary" : type}, {bytes(Math.floor(data.length * 3 / 4))}
        </span>
        <Button isSmall icon="download" onClick={() => save(data, type, name)}>Save</Button>
      </div>
    )

/** A resource's name is the last step of its address. */
const nameOf = (uri: string): string => uri.split(/[/?#]/).filter((step) => step !== "").at(-1) ?? ""

const Resource = ({ resource }: { readonly resource: JsonObject }) => {
  const uri = textOf(resource["uri"]) ?? ""
  const type = textOf(resource["mimeType"]) ?? ""
  const text = textOf(resource["text"])
  const blob = textOf(resource["blob"])
  return (
    <figure class="result-resource">
      <figcaption>
        <code>{uri}</code> <span class="muted">{type}</span>
      </figcaption>
      {text === null ? null : <Text text={text} label={`Resource ${uri}`} />}
      {blob === null ? null : <Binary data={blob} type={type} name={nameOf(uri)} />}
    </figure>
  )
}

const Link = ({ block }: { readonly block: JsonObject }) => (
  <p class="result-link">
    {textOf(block["title"]) ?? textOf(block["name"]) ?? "Resource"}: <code>{textOf(block["uri"])}</code>
    {textOf(block["description"]) === null ? null : <span class="muted">{textOf(block["description"])}</span>}
  </p>
)

export const Content = ({ block }: { readonly block: JsonObject }) => {
  const data = textOf(block["data"])
  switch (block["type"]) {
    case "text":
      return <Text text={textOf(block["text"]) ?? ""} label="Text of the result" />
    case "image":
    case "audio":
      return data === null
        ? <Notice>Its data is not there.</Notice>
        : <Binary data={data} type={textOf(block["mimeType"]) ?? ""} name="" />
    case "resource":
      return <Resource resource={isObject(block["resource"]) ? block["resource"] : {}} />
    case "resource_link":
      return <Link block={block} />
    default:
      return <CodeBlock code={JSON.stringify(block, null, 2)} language="json" label="Content of an unknown kind" />
  }
}
