/** The servers, files and chats that the pictures show, and what the model says in them. */
import { fileURLToPath } from "node:url"
import * as ModelServer from "../servers/ModelServer.ts"
import * as FixtureServer from "../support/FixtureServer.ts"

const ANSWER = `Three things stand out in the notes:

1. **Revenue** grew by 12 % against the last quarter, most of it in *Lisbon* and *Porto*.
2. The new tariff \`T-3\` is used by 41 customers[^1].
3. Two contracts end before 31 December.

| City | Customers | Revenue |
| :--- | ---: | ---: |
| Lisbon | 128 | € 84,200 |
| Porto | 97 | € 61,950 |
| Faro | 22 | € 9,400 |

\`\`\`ts
// The two that end first
const ending = contracts.filter(({ end }) => end < "2027-01-01")
\`\`\`

> The margin is $m = \\frac{r - c}{r}$, as in the note of October.

- [x] read the notes
- [ ] call the two customers

[^1]: As of Monday.`

const FORM = {
  message: "Who should receive the report?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", description: "As on the contract" },
      email: { type: "string", title: "E-mail", format: "email" },
      day: { type: "string", title: "Day", format: "date", default: "2026-11-27" },
      copies: { type: "integer", title: "Copies", minimum: 1, maximum: 9, default: 2 },
      urgent: { type: "boolean", title: "Urgent", default: true },
      language: {
        type: "string",
        title: "Language",
        enum: ["pt", "en"],
        enumNames: ["Portuguese", "English"],
        default: "pt"
      }
    },
    required: ["name"]
  }
}

const LETTER = "Dear Ms Almeida,\n\nyour contract ends on 31 December. Shall we extend it by a year?\n\nKind regards"

const read = (path: string) => ModelServer.call("files_read_text_file", { path })

/** What the model says to a message; its results come with the second request. */
export const script: ModelServer.Script = ({ results, text }) => {
  if (text.includes("letter")) return [ModelServer.call("ledger_write", { text: LETTER })]
  if (text.includes("receive")) return [ModelServer.call("curious_ask", { method: "elicitation/create", params: FORM })]
  if (results.length > 0) return [ModelServer.text(ANSWER)]
  if (text.includes("notes")) {
    return [
      ModelServer.reasoning("The notes are in the workspace: the list first, then the three of them."),
      ModelServer.text("I will read the notes."),
      ...["notes.md", "october.md", "missing.md", "contracts.md"].map(read)
    ]
  }
  if (text.includes("budget")) return ModelServer.fail(401, "invalid_api_key", "Incorrect API key provided.")
  return [
    ModelServer.text(
      "A glacier calves where its tongue meets the sea: the water melts it from below, and blocks break off."
    )
  ]
}

const AGENTS = `---
name: Assistant
description: Answers questions with the tools of all servers.
---

Help.

---
name: Reader
description: Reads the notes of the team, and writes nothing.
tools: [files_*, calendar_*]
steps: 5
---

Read the notes before you answer.
`

const EXITS = fileURLToPath(new URL("../servers/Exits.ts", import.meta.url))

/** Without what makes the other tests faster: its place is another in each run, and the page shows it. */
const plain = (name: FixtureServer.FixtureName, ...args: ReadonlyArray<string>) => ({
  command: FixtureServer.NODE,
  args: [FixtureServer.file(name), ...args]
})

export const STAGE = {
  servers: {
    files: { ...plain("Files", "workspace"), description: "The notes of the team" },
    ledger: { ...plain("Ledger", "ledger.txt"), ask: ["write"] },
    curious: plain("Curious"),
    calendar: { type: "http", url: "http://127.0.0.1:9/mcp", enabled: false },
    // Its tool ends it, and it stays so: one that is tried again would say another number each time.
    broken: { command: FixtureServer.NODE, args: [EXITS, "call"], restart: "never" },
    weather: { command: "no-such-weather-command" }
  },
  files: {
    "notes.md": "# Notes\n\nRevenue grew by 12 %.",
    "october.md": "The margin is (r - c) / r.",
    "contracts.md": "Two contracts end before 31 December.",
    "../AGENTS.md": AGENTS
  },
  variables: { PATH: "/usr/bin:/bin", HOME: "/home/ann" },
  settings: { titles: "message" }
}

/** A message of each chat, how many minutes before now it was sent, and how its turn ends. The last is the newest. */
export const CHATS = [
  ["Why do glaciers calve?", 9000, "settled"],
  ["Draft the budget for the first quarter of next year, with the new tariff", 1500, "settled"],
  ["What do the notes say about this quarter?", 48, "settled"],
  ["Write the letter to Ms Almeida about her contract", 3, "waiting"],
  ["Who should receive the report?", 1, "waiting"]
] as const
