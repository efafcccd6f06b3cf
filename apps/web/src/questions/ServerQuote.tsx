/** A server's words, marked as its own: plain text, never markup, and no voice of this page. */
import { questions as texts } from "../messages/QuestionsMessages.ts"

const LONG = 600

interface ServerWordsProps {
  readonly server: string
  readonly text: string
  readonly label?: string
}

export const ServerQuote = ({ server, text, label = texts.wordsOf(server) }: ServerWordsProps) => (
  // A long one scrolls, which a keyboard does only where the focus can be.
  <blockquote class="server-words words" dir="auto" aria-label={label} {...(text.length > LONG ? { tabIndex: 0 } : {})}>
    {text}
  </blockquote>
)
