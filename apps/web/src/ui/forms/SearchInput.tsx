/** A field that narrows what is shown below it. */
interface SearchInputProps {
  readonly label: string
  readonly placeholder?: string
  readonly class?: string
  readonly value: string
  readonly onValue: (value: string) => void
}

export const SearchInput = ({ class: more, label, onValue, placeholder = label, value }: SearchInputProps) => (
  <input
    class={more === undefined ? "input" : `input ${more}`}
    type="search"
    aria-label={label}
    placeholder={placeholder}
    value={value}
    onInput={(event) => onValue(event.currentTarget.value)}
  />
)
