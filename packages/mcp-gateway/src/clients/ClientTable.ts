/**
 * The known MCP clients by the name that they give: one row for each, with its source. Sources were read in November
 * 2026. Rows change with the clients, so this file is the only place that knows any of them.
 */

/** The limits and abilities of a client. */
export interface Traits {
  /** How many characters the name of a tool may have, with what the client puts in front. */
  readonly nameLength: number
  /**
   * The prefix that the client puts before names, where it counts, `SERVER` being the name of the gateway in its
   * configuration.
   */
  readonly prefix: string
  /** How many tools it takes; null for a client that leaves them to a search of its own. */
  readonly tools: number | null
  /** Whether it reads the list of tools once, whatever it is told of changes. */
  readonly listsOnce: boolean
  /** Which form of a result its model reads where there are both. */
  readonly shows: "both" | "structured"
  /** How many bytes of a result it takes. */
  readonly resultBytes: number
  /** How many seconds a call may take before the client gives it up, less a margin; 200 at most. */
  readonly patienceSeconds: number
}

interface Row extends Partial<Traits> {
  /** The beginning of `clientInfo.name`, in lowercase. */
  readonly client: string
  readonly source: string
}

/**
 * The traits of a client that nobody knows. A model chooses well among 40 tools, and 10,000 tokens of definitions leave
 * it room.
 */
export const UNKNOWN: Traits = {
  nameLength: 64,
  prefix: "",
  tools: 40,
  listsOnce: false,
  shows: "both",
  resultBytes: 100_000,
  patienceSeconds: 50
}

/** The definitions that a client is given at once, in tokens, unless it has a search of its own. */
export const MOST_TOKENS = 10_000

const table: ReadonlyArray<Row> = [
  {
    client: "claude-code",
    prefix: "mcp__SERVER__",
    tools: null,
    shows: "structured",
    resultBytes: 80_000,
    patienceSeconds: 200,
    source: "docs of Claude Code: tool search, MAX_MCP_OUTPUT_TOKENS 25,000; anthropics/claude-code#64316, #66084"
  },
  {
    client: "claude-ai",
    listsOnce: true,
    resultBytes: 400_000,
    patienceSeconds: 200,
    source: "anthropics/claude-ai-mcp#45; anthropics/claude-code#65643 (240 s)"
  },
  {
    client: "cursor",
    nameLength: 60,
    prefix: "SERVER_",
    source: "docs of Cursor: 60 characters with the server; sparfenyuk/mcp-proxy#45; 40 tools"
  },
  {
    client: "visual studio code",
    prefix: "mcp_SERVER_",
    tools: 128,
    patienceSeconds: 200,
    source: "docs of VS Code: 128 tools a request, no limit of time"
  },
  {
    client: "codex",
    prefix: "mcp__SERVER__",
    tools: null,
    listsOnce: true,
    resultBytes: 40_000,
    source: "openai/codex#10105, #33266; tool_timeout_sec 60; defers at 100 tools"
  },
  {
    client: "opencode",
    prefix: "SERVER_",
    resultBytes: 50_000,
    source: "source of opencode: names, 50 KB of a result"
  },
  {
    client: "gemini-cli",
    nameLength: 63,
    prefix: "SERVER__",
    patienceSeconds: 200,
    source: "source of Gemini CLI: 63 characters, the middle is cut; 600 s"
  },
  { client: "windsurf", tools: 100, source: "docs of Windsurf: 100 tools" },
  { client: "goose", listsOnce: true, source: "apify/mcp-client-capabilities" },
  { client: "zed", listsOnce: true, source: "apify/mcp-client-capabilities" },
  { client: "cline", source: "apify/mcp-client-capabilities" },
  { client: "kilo", source: "apify/mcp-client-capabilities" }
]

/** The traits of the client of this name. */
export const traitsOf = (name: string): Traits => {
  const lower = name.toLowerCase()
  const { client: _, source: __, ...known } = table.find(({ client }) => lower.startsWith(client)) ?? NOTHING
  return { ...UNKNOWN, ...known }
}

const NOTHING: Row = { client: "", source: "" }

/** How many characters of the name of a tool are left to the gateway. */
export const roomForNames = ({ nameLength, prefix }: Traits, serverName: string): number =>
  Math.max(LEAST_ROOM, nameLength - prefix.replace("SERVER", serverName).length)

/** A name and a tail that tells it apart have room in so many characters. */
const LEAST_ROOM = 24
