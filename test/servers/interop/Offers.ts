/** What all servers of the interop matrix offer, in the words that its cells look for. */

export const NAME = "interop"

export const INSTRUCTIONS = "Call echo before anything else."

export const NOTES = "memo://notes"

export const PATHS = ["apple.md", "pear.md"] as const

/** What a person is asked for. */
export const FORM = {
  message: "Who are you?",
  requestedSchema: {
    type: "object" as const,
    properties: {
      name: { type: "string" as const, title: "Name" },
      age: { type: "integer" as const, title: "Age", default: 30 }
    },
    required: ["name"]
  }
}

export const PAGE = "https://example.com/sign-in"

/** What the model is asked for. */
export const SAMPLING = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "Say boo" } }],
  maxTokens: 50
}

export const STEPS = [1, 2, 3] as const

/** A call that nobody cancels ends by then. */
export const WAIT_MILLIS = 30_000

export const review = (path: string) => `Review ${path}.`

export const plan = (day: unknown) => `The plan of ${String(day)}.`

export const paths = (typed: string): Array<string> => PATHS.filter((path) => path.startsWith(typed))

/** What became of calls, in this process. */
export const counters = { begun: 0, cancelled: 0, touched: 0 }

export const cancelled = (): string => `${counters.cancelled} of ${counters.begun}`

/** What is written in the notes; each touch changes it. */
export const notes = (): string => `Buy milk, ${counters.touched} times.`

/** Tools that came later. */
export const grown: Array<string> = []

/** The name of the next of them. */
export const nameOfNext = (): string => {
  const name = `grown_${grown.length + 1}`
  grown.push(name)
  return name
}
