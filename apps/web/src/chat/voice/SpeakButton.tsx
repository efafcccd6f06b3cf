/** The microphone of the composer, where the browser can listen. The first time it says where the sound goes. */
import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { voice as words } from "../../messages/chat/VoiceMessages.ts"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { canListen, isListening, listen, stopListening } from "./SpeechField.ts"
import "./voice.css"

const KEY = "boocode.listens"

const isAgreed = (): boolean => {
  try {
    return localStorage.getItem(KEY) === "yes"
  } catch {
    return false
  }
}

const agree = () => {
  try {
    localStorage.setItem(KEY, "yes")
  } catch {
    // A browser that keeps nothing asks each time.
  }
}

const REFUSED: ReadonlySet<string> = new Set(["not-allowed", "service-not-allowed"])

export const SpeakButton = ({ draft }: { readonly draft: Signal<string> }) => {
  const isAsking = useSignal(false)
  // Nobody is heard who has gone elsewhere.
  useEffect(() => stopListening, [])
  if (!canListen()) return null
  const begin = () => {
    const before = draft.value.trimEnd()
    let written = draft.value
    listen(
      (said) => {
        // The person sent it, or writes on: what is heard later belongs to no text any more.
        if (draft.value !== written) return stopListening()
        written = before === "" ? said : `${before} ${said}`
        draft.value = written
      },
      (why) => tell({ text: REFUSED.has(why) ? words.refused : words.failed(why), isBad: true })
    )
  }
  return (
    <>
      <Button
        class={isListening.value ? "listening" : ""}
        kind="plain"
        isSmall
        icon="microphone"
        label={isListening.value ? words.stopSpeaking : words.speak}
        onClick={() => isListening.value ? stopListening() : isAgreed() ? begin() : isAsking.value = true}
      />
      {isListening.value ? <span class="listening-word" role="status">{words.listening}</span> : null}
      {isAsking.value
        ? (
          <Dialog title={words.title} onClose={() => isAsking.value = false}>
            <p>{words.about}</p>
            <footer>
              <Button onClick={() => isAsking.value = false}>{words.cancel}</Button>
              <Button
                kind="primary"
                icon="microphone"
                onClick={() => {
                  agree()
                  isAsking.value = false
                  begin()
                }}
              >
                {words.begin}
              </Button>
            </footer>
          </Dialog>
        )
        : null}
    </>
  )
}
