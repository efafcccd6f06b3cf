/** The number of a source in a text, which opens it. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { media as words } from "../../messages/chat/MediaMessages.ts"

/** The pages that the numbers of a text stand for, from 1. */
export const NumberedSources = createContext<
  ReadonlyArray<{ readonly address: string; readonly title: string; readonly host: string }>
>([])

export const SourceMark = ({ number }: { readonly number: number }) => {
  const source = useContext(NumberedSources)[number - 1]
  if (source === undefined) return null
  return (
    <sup>
      <a
        class="source-mark"
        href={source.address}
        target="_blank"
        rel="noopener noreferrer"
        title={`${source.title} (${source.host})`}
        aria-label={words.source(number, source.title)}
      >
        {number}
      </a>
    </sup>
  )
}
