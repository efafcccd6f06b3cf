/** One block of what a tool or resource gave. Everything of it is text, or a picture of a kind that cannot do anything. */
import type { Json, JsonObject, ToolResult } from "../api/Types.ts"
import { isObject } from "../forms/SchemaReading.ts"
import { bytes } from "../messages/Numbers.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { tell } from "../state/Toasts.ts"
import { Button } from "../ui/Button.tsx"
import { LongCode } from "../ui/code/LongCode.tsx"
import { prettyJson } from "../ui/code/PrettyJson.ts"
import { DataViews } from "../ui/data/DataViews.tsx"
import { isImage } from "../ui/files/Safe.ts"
import { saveBase64 } from "../ui/files/Saving.ts"
import { Notice } from "../ui/Notice.tsx"
import "./tools.css"

const textOf = (value: Json | undefined): string | null => typeof value === "string" ? value : null

type Styles = ToolResult["styles"]

interface TextProps {
  readonly text: string
  readonly label: string
  readonly styles?: Styles
}

const Text = ({ label, styles, text }: TextProps) => {
  const json = styles === undefined ? prettyJson(text) : null
  return (
    <DataViews text={text} label={label}>
      {json === null
        ? <LongCode code={text} isWrapped label={label} {...styles === undefined ? {} : { styles }} />
        : <LongCode code={json} language="json" label={label} />}
    </DataViews>
  )
}

const save = (data: string, type: string, name: string) => {
  const file = name === "" ? `result.${type.split(/[/+;]/)[1] ?? "bin"}` : name
  if (!saveBase64(data, file)) tell({ text: texts.notSaved(file), isBad: true })
}

interface BinaryProps {
  readonly data: string
  readonly type: string
  readonly name: string
}

const Binary = ({ data, name, type }: BinaryProps) => {
  const saving = <Button isSmall icon="download" onClick={() => save(data, type, name)}>{texts.save}</Button>
  return isImage(type)
    ? (
      <>
        <img class="result-image" src={`data:${type};base64,${data}`} alt={name === "" ? texts.image : name} />
        <div class="row">{saving}</div>
      </>
    )
    : (
      <div class="row">
        <span class="muted">
          {name === "" ? "" : `${name}, `}
          {type === "" ? texts.binary : type}, {bytes(Math.floor(data.length * 3 / 4))}
        </span>
        {saving}
      </div>
    )
}

/** Data that the server keeps in a file instead of sending it. */
const Kept = ({ kept }: { readonly kept: JsonObject }) => {
  const [size, file] = [kept["bytes"], textOf(kept["file"])]
  return (
    <p class="muted words">
      {textOf(kept["mimeType"]) ?? texts.binary}
      {typeof size === "number" ? `, ${bytes(size)}` : ""}
      {file === null ? texts.notKept : (
        <>
          {texts.keptAs} <code>{texts.results(file)}</code> {texts.inStateFolder}
        </>
      )}
    </p>
  )
}

/** The data of a block: in base64, or as a note of where it is. */
const Data = (
  { data, name, type }: { readonly data: Json | undefined; readonly type: string; readonly name: string }
) =>
  typeof data === "string"
    ? <Binary data={data} type={type} name={name} />
    : isObject(data)
    ? <Kept kept={data} />
    : <Notice>{texts.noData}</Notice>

/** A resource's name is the last step of its address. */
const nameOf = (uri: string): string => uri.split(/[/?#]/).filter((step) => step !== "").at(-1) ?? ""

const Resource = ({ resource }: { readonly resource: JsonObject }) => {
  const uri = textOf(resource["uri"]) ?? ""
  const type = textOf(resource["mimeType"]) ?? ""
  const text = textOf(resource["text"])
  const blob = resource["blob"] ?? undefined
  return (
    <figure class="result-resource">
      <figcaption>
        <code>{uri}</code> <span class="muted">{type}</span>
      </figcaption>
      {text === null ? null : <Text text={text} label={texts.resourceOf(uri)} />}
      {blob === undefined ? null : <Data data={blob} type={type} name={nameOf(uri)} />}
    </figure>
  )
}

const Link = ({ block }: { readonly block: JsonObject }) => (
  <p class="result-link">
    {textOf(block["title"]) ?? textOf(block["name"]) ?? texts.resource}: <code>{textOf(block["uri"])}</code>
    {textOf(block["description"]) === null ? null : <span class="muted">{textOf(block["description"])}</span>}
  </p>
)

interface ContentProps {
  readonly block: JsonObject
  /** The colours of its text. */
  readonly styles?: Styles
}

export const Content = ({ block, styles }: ContentProps) => {
  switch (block["type"]) {
    case "text":
      return <Text text={textOf(block["text"]) ?? ""} label={texts.textOfTheResult} styles={styles} />
    case "image":
    case "audio":
      return <Data data={block["data"]} type={textOf(block["mimeType"]) ?? ""} name="" />
    case "resource":
      return <Resource resource={isObject(block["resource"]) ? block["resource"] : {}} />
    case "resource_link":
      return <Link block={block} />
    default:
      return <LongCode code={JSON.stringify(block, null, 2)} language="json" label={texts.unknownContent} />
  }
}
