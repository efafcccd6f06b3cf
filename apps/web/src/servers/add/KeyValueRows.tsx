/** Rows of a name and a value, such as environment variables or headers. The last row is always an empty one. */
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Button } from "../../ui/Button.tsx"
import type { Row } from "./EntryForm.ts"

interface KeyValueRowsProps {
  readonly legend: string
  readonly about?: string
  /** What one name is called: "Header". */
  readonly noun: string
  readonly rows: ReadonlyArray<Row>
  readonly onChange: (rows: ReadonlyArray<Row>) => void
}

const EMPTY: Row = ["", ""]

export const KeyValueRows = ({ about, legend, noun, onChange, rows }: KeyValueRowsProps) => {
  const all = [...rows, EMPTY]
  const set = (index: number, row: Row) =>
    onChange(all.with(index, row).filter(([key, value]) => key !== "" || value !== ""))
  return (
    <fieldset class="rows">
      <legend>{legend}</legend>
      {about === undefined ? null : <p class="muted">{about}</p>}
      {all.map(([key, value], index) => (
        <div class="rows-row" key={index}>
          <input
            class="input mono"
            aria-label={texts.nthName(noun, index + 1)}
            placeholder={texts.nameHint}
            value={key}
            onInput={(event) => set(index, [event.currentTarget.value, value])}
          />
          <input
            class="input mono"
            aria-label={texts.nthValue(noun, index + 1)}
            placeholder={texts.valueHint}
            value={value}
            onInput={(event) => set(index, [key, event.currentTarget.value])}
          />
          <Button
            kind="plain"
            isSmall
            icon="close"
            label={texts.removeNth(noun.toLowerCase(), index + 1)}
            disabled={index === rows.length}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
    </fieldset>
  )
}
