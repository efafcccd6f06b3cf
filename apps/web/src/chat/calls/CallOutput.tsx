/** The output of a tool: its text, as JSON where it is that, and how much was cut. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { JsonObject, ToolResultPart } from "../../api/Types.ts"
import { call as words } from "../../messages/ChatMessages.ts"
import { bytes } from "../../messages/Numbers.ts"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { prettyJson } from "../../ui/code/PrettyJson.ts"
import { imageData } from "../../ui/files/Safe.ts"
import { lazy } from "../../ui/Lazy.tsx"

const DataViews = lazy(() => import("../../ui/data/DataViews.tsx").then(({ DataViews: one }) => one), null)

const shown = ({ styles, text }: ToolResultPart) => {
  const json = styles === undefined ? prettyJson(text) : null
  return json === null ? { code: text, language: "" } : { code: json, language: "json" }
}

/** The addresses of the pictures in what a tool gave. */
export const pictures = (content: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  content.map((block) => block["type"] === "image" ? imageData(block["mimeType"], block["data"]) : null)
    .filter((address) => address !== null)

const Cut = ({ part: { truncated } }: { readonly part: ToolResultPart }) => {
  // A result that is whole here may still be too long for a model.
  if (truncated === null || truncated.shownBytes === truncated.bytes) return null
  return (
    <p class="muted small">
      {words.cut(bytes(truncated.shownBytes), bytes(truncated.bytes))}
      {truncated.file === null ? null : (
        <>
          {` ${words.keptAs} `}
          <code>{truncated.file}</code>.
        </>
      )}
    </p>
  )
}

/** More than so many characters are shown on demand: a browser lays out megabytes of lines for seconds. */
const MUCH = 100_000

interface ShownProps {
  readonly text: string
  readonly label: string
  readonly isPlain: boolean
  readonly children: ComponentChildren
}

/** A result that looks like data can be shown in other ways, too. */
const Shown = ({ children, isPlain, label, text }: ShownProps) =>
  isPlain || !/^\s*[[{]|^[^\n]*[,;\t][^\n]*\n|^@@ -\d/m.test(text)
    ? <>{children}</>
    : <DataViews text={text} label={label}>{children}</DataViews>

export const CallOutput = ({ part }: { readonly part: ToolResultPart }) => {
  const isWhole = useSignal(part.text.length <= MUCH)
  const name = part.isError ? words.error : words.result
  return (
    <>
      <h3>{name}</h3>
      <Shown text={part.text} label={name} isPlain={part.isError}>
        <CodeBlock
          {...isWhole.value ? shown(part) : { code: part.text.slice(0, MUCH) }}
          {...part.styles === undefined ? {} : { styles: part.styles }}
          whole={part.text}
          isWrapped
          label={name}
        />
      </Shown>
      {isWhole.value ? null : (
        <p class="muted small">
          {words.beginning(bytes(MUCH), bytes(part.text.length))}{" "}
          <Button isSmall onClick={() => isWhole.value = true}>{words.showAll}</Button>
        </p>
      )}
      <Cut part={part} />
    </>
  )
}
