/** Reads an answer aloud, where the browser has a voice. */
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { locale } from "../../language/Language.ts"
import { voice as words } from "../../messages/chat/VoiceMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { spoken } from "./SpokenText.ts"

/** The text that is read now. */
const reading = signal<string | null>(null)

const stop = () => {
  reading.value = null
  speechSynthesis.cancel()
}

const read = (text: string) => {
  speechSynthesis.cancel()
  const pieces = spoken(text)
  if (pieces.length === 0) return
  reading.value = text
  for (const [at, piece] of pieces.entries()) {
    const one = new SpeechSynthesisUtterance(piece)
    one.lang = locale
    if (at === pieces.length - 1) one.onend = () => reading.value === text && stop()
    one.onerror = () => reading.value === text && stop()
    speechSynthesis.speak(one)
  }
}

export const ReadButton = ({ text }: { readonly text: string }) => {
  const isRead = reading.value === text
  // A voice of a chat that is left falls silent.
  useEffect(() => () => reading.peek() === text ? stop() : undefined, [text])
  if (!("speechSynthesis" in globalThis)) return null
  return (
    <Button
      kind="plain"
      isSmall
      icon={isRead ? "stop" : "speaker"}
      label={isRead ? words.stopReading : words.read}
      onClick={() => isRead ? stop() : read(text)}
    />
  )
}
