/** The words of speaking and reading aloud. */
import { translated } from "../../language/Language.ts"

export const voice = translated(
  "voice",
  {
    speak: "Speak",
    stopSpeaking: "Stop listening",
    listening: "Listening …",
    about:
      "Your browser turns what you say into text. Most browsers send the sound to a service of their maker for it, such as Google's or Apple's. This server gets the text alone, when you send it.",
    title: "Speak a message?",
    begin: "Listen",
    cancel: "Cancel",
    refused: "The browser does not let this page use the microphone.",
    failed: (why: string) => `Nothing was heard: ${why}.`,
    read: "Read aloud",
    stopReading: "Stop reading"
  } as const
)
