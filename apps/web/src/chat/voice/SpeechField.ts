/** Speech recognition of the browser: what is said comes as text, piece by piece. */
import { signal } from "@preact/signals"
import { locale } from "../../language/Language.ts"

interface Alternative {
  readonly transcript: string
}

interface HeardEvent extends Event {
  readonly resultIndex: number
  readonly results: ArrayLike<ArrayLike<Alternative> & { readonly isFinal: boolean }>
}

/** TypeScript does not know it: few browsers have it, and most of them under a name of their own. */
interface Recognition extends EventTarget {
  lang: string
  continuous: boolean
  interimResults: boolean
  onresult: ((event: HeardEvent) => void) | null
  onerror: ((event: Event & { readonly error: string }) => void) | null
  onend: (() => void) | null
  start(): void
  abort(): void
}

type Maker = new() => Recognition

const isMaker = (value: unknown): value is Maker => typeof value === "function"

const maker = (): Maker | null => {
  const found: unknown = Reflect.get(globalThis, "SpeechRecognition") ??
    Reflect.get(globalThis, "webkitSpeechRecognition")
  return isMaker(found) ? found : null
}

export const canListen = (): boolean => isSecureContext && maker() !== null

/** Whether the browser listens now. */
export const isListening = signal(false)

let current: Recognition | null = null

/** Ends at once; what was not final yet is lost. */
export const stopListening = (): void => {
  current?.abort()
  current = null
  isListening.value = false
}

/**
 * Listens until `stopListening` or a pause of the browser's own. `onText` gets all that was said so far; `onError` the
 * browser's word for why nothing can be heard.
 */
export const listen = (onText: (said: string) => void, onError: (why: string) => void): void => {
  stopListening()
  const make = maker()
  if (make === null) return
  const recognition = new make()
  const said: Array<string> = []
  recognition.lang = locale
  recognition.continuous = true
  recognition.interimResults = true
  recognition.onresult = ({ resultIndex, results }) => {
    for (const [at, result] of Array.from(results).entries()) {
      if (at >= resultIndex) said[at] = result[0]?.transcript ?? ""
    }
    onText(said.join("").trim())
  }
  recognition.onerror = ({ error }) => {
    if (error !== "aborted" && error !== "no-speech") onError(error)
  }
  recognition.onend = () => {
    if (current === recognition) stopListening()
  }
  current = recognition
  isListening.value = true
  recognition.start()
}
