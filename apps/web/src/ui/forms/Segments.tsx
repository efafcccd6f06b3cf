/** A few ways to choose from, side by side. */
import { Button } from "../Button.tsx"
import type { IconName } from "../Icon.tsx"

interface SegmentsProps<Id extends string> {
  readonly label: string
  readonly options: ReadonlyArray<readonly [id: Id, text: string, icon?: IconName]>
  readonly value: Id
  readonly onChange: (id: Id) => void
}

export function Segments<Id extends string>({ label, onChange, options, value }: SegmentsProps<Id>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([id, text, icon]) => (
        <Button
          key={id}
          isSmall
          aria-pressed={id === value}
          {...(icon === undefined ? {} : { icon })}
          onClick={() => id === value || onChange(id)}
        >
          {text}
        </Button>
      ))}
    </div>
  )
}
