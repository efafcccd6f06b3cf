/** The tools there are: their names, their schemas, which of them are offered, and what else a server may have. */
import { open, proofs, type Requirement } from "./Requirement.ts"

const REGISTRY = "packages/mcp-registry"
const test = (name: string) => `${REGISTRY}/test/${name}.test.ts`
const CATALOGUE = test("Catalogue")
const SCHEMA = "packages/toolkit/test/ToolSchema.test.ts"
const FAULTS = "test/Faults.test.ts"
const DEFERRAL = "packages/chat/test/ToolDeferral.test.ts"

const DIALECTS = "not built yet: dialects per provider, with what was lost and how arguments map back (issue 5)"

export const catalogue: ReadonlyArray<Requirement> = [
  {
    id: "R8",
    promise: "One bad tool costs that tool alone, and is named with the reason.",
    proofs: [
      ...proofs(
        test("Discovery"),
        "lets a malformed tool cost itself alone",
        "judges every tool of any listing, and none twice"
      ),
      ...proofs(test("McpServer"), "costs only itself when one tool is nested thousands of levels deep"),
      ...proofs(FAULTS, "malformed tools cost only themselves")
    ],
    break: {
      file: `${REGISTRY}/src/Discovery.ts`,
      find: "if (typeof tool[\"name\"] !== \"string\" || tool[\"name\"] === \"\") return \"malformed: it has no name\"",
      replace: ""
    },
    open: `a tool that no schema of a provider can express still reaches that provider; ${DIALECTS}`
  },
  {
    id: "R9",
    promise: "Combinators at the root of a schema become one object for Anthropic; nested ones stay as they are.",
    proofs: proofs(
      SCHEMA,
      "makes one object of a choice at the root, which providers refuse",
      "keeps every other keyword, and a legal schema unchanged"
    ),
    break: {
      file: "packages/toolkit/src/ToolSchema.ts",
      find: "if (chosen.length > 0) return flat(declared)",
      replace: ""
    },
    open: `the folding is the same for every provider; ${DIALECTS}`
  },
  {
    id: "R10",
    promise: "Schemas without properties or items get them, and a tool without parameters a placeholder of ours.",
    proofs: proofs(SCHEMA, "gives a schema without properties an empty set of them"),
    break: {
      file: "packages/toolkit/src/ToolSchema.ts",
      find: "properties: isObject(properties) ? properties : {} }",
      replace: "properties: properties ?? null }"
    },
    open: `arrays without items and the placeholder; ${DIALECTS}`
  },
  open("R11", "A schema for Gemini holds what Gemini knows and nothing else.", DIALECTS),
  open("R12", "A schema that refers to itself ends, within bounds of depth and size.", DIALECTS),
  open("R13", "Illegal property keys get aliases, and the wire carries the keys as they were.", DIALECTS),
  {
    id: "R14",
    promise:
      "Every tool has a legal name of at most 64 characters, the same for ever, and goes by its own on the wire.",
    proofs: [
      ...proofs(
        test("ToolName"),
        "gives only legal names that are not reserved, whatever the raw ones",
        "cuts a name of more than 64 characters",
        "begins a name that would begin with a digit with _",
        "gives today's suffixes for ever"
      ),
      ...proofs(test("McpRegistry"), "sends the raw tool name on the wire"),
      ...proofs("test/Smoke.test.ts", "(7) holds nine servers with at least 158 tools at once")
    ],
    break: {
      file: `${REGISTRY}/src/ToolName.ts`,
      find: "text.replace(/[^a-zA-Z0-9_-]/gu, \"_\")",
      replace: "text"
    }
  },
  {
    id: "R15",
    promise: "Two tools never share a name, whatever they and their servers are called.",
    proofs: [
      ...proofs(
        test("ToolName"),
        "never gives one name to two tools, of one server or of several",
        "keeps the plain names for the server that was legal as written"
      ),
      ...proofs(test("McpRegistry"), "names two servers' tools of the same name apart")
    ],
    break: {
      file: `${REGISTRY}/src/ToolName.ts`,
      find: "const hasTwin = rivals.some(({ part }) => part === own) && own !== server",
      replace: "const hasTwin = false"
    }
  },
  {
    id: "R48",
    promise:
      "With deferral a model gets names and a search instead of every definition; what it finds stays for the chat.",
    proofs: [
      ...proofs(
        DEFERRAL,
        "what a search finds is given behind the rest for the rest of the chat",
        "can be called by their exact names without a search",
        "come from a server that was late, for which a search waits"
      ),
      ...proofs(
        "packages/toolkit/test/ToolSearch.test.ts",
        "gives a tool whose name is said before all others",
        "forgives slips of the hand"
      ),
      ...proofs(
        "test/ToolSearch.test.ts",
        "finds and calls one of 300 tools whose definitions were not sent",
        "waits in a search for a server that is late"
      )
    ],
    break: {
      file: "packages/chat/src/ChatTurns.ts",
      find: "found: FoundTools.fromTurns(chat.turns),",
      replace: "found: [],"
    }
  },
  {
    id: "R49",
    promise:
      "A request never has more tools than a provider takes; built-in ones stay, the rest is said and found by search.",
    proofs: [
      ...proofs(
        DEFERRAL,
        "are the overflow in mode never: built-in tools stay",
        "never make a request with more tools than the provider takes, however many are found"
      ),
      ...proofs("packages/toolkit/test/Deferral.test.ts", "leaves room for the two that search"),
      ...proofs("test/ToolSearch.test.ts", "sends at most 128 of 300 tools also without deferral")
    ],
    break: {
      file: "packages/toolkit/src/Deferral.ts",
      find: "  openai: 128,",
      replace: "  openai: 1280,"
    }
  },
  {
    id: "R50",
    promise: "A denied tool is neither offered nor callable, also after the list changed.",
    proofs: [
      ...proofs(CATALOGUE, "filters again what a server lists anew"),
      ...proofs(
        "packages/chat/test/Chats.test.ts",
        "neither shows nor calls a tool that the agent's patterns do not allow"
      ),
      ...proofs(DEFERRAL, "are neither named, found nor called when the agent may not use them"),
      ...proofs("packages/tool-glob/test/ToolGlob.test.ts", "decides as the slow reference does"),
      ...proofs("packages/chat/test/Agents.test.ts", "keeps unquoted stars and denials"),
      ...proofs("test/Smoke.test.ts", "(5) shows an agent only what its patterns allow")
    ],
    break: {
      file: `${REGISTRY}/src/Discovery.ts`,
      find: "allowed !== null && !allowed.allows(label)",
      replace: "false"
    }
  },
  {
    id: "R51",
    promise: "The tools are the same to the byte, whatever the order of connecting, reconnecting and starting.",
    proofs: [
      ...proofs(test("Discovery"), "sorts by name, whatever the order of the server"),
      ...proofs(CATALOGUE, "is the same to the byte, in whatever order servers connect"),
      ...proofs(test("ToolName"), "gives the same names in whatever order tools and servers come")
    ],
    break: {
      file: `${REGISTRY}/src/Discovery.ts`,
      find: "tools.sort((a, b) => a.name < b.name ? -1 : 1)",
      replace: ""
    }
  },
  {
    id: "R52",
    promise:
      "A changed list is there for the next turn; a burst costs two listings at most; a running turn keeps its own.",
    proofs: [
      ...proofs(test("McpServer"), "lists again at most twice for a burst of a hundred changes"),
      ...proofs(FAULTS, "a burst of 100 list_changed costs two listings"),
      ...proofs(
        "packages/chat/test/Chats.test.ts",
        "keeps the tools of a running turn as they were when it began",
        "lets an agent without `tools:` use servers that come late, from the next turn on"
      )
    ],
    break: {
      file: `${REGISTRY}/src/sdk/SdkConnection.ts`,
      find: "client.setNotificationHandler(\"notifications/tools/list_changed\", () => onToolsChanged())",
      replace: ""
    }
  },
  {
    id: "R53",
    promise: "All pages of a list are read.",
    proofs: [
      ...proofs(test("ToolPages"), "follows the cursor over all pages, in order"),
      ...proofs(FAULTS, "1,000 tools in ten pages are all there")
    ],
    break: {
      file: `${REGISTRY}/src/sdk/ToolPages.ts`,
      find: "typeof nextCursor === \"string\" && nextCursor !== \"\" ? nextCursor : null",
      replace: "null"
    },
    open: "only tools are listed; resources, templates and prompts are not built yet (issue 7)"
  },
  {
    id: "R54",
    promise:
      "A list that never ends is ended: repeated, empty and ever new cursors, with each tool once and a diagnostic.",
    proofs: [
      ...proofs(
        test("ToolPages"),
        "stops at a cursor that comes again",
        "stops at an empty, null or meaningless cursor",
        "stops after 100 pages of ever new cursors",
        "stops at a server that answers with its first page whatever the cursor is"
      ),
      ...proofs(test("Discovery"), "keeps the first of tools that are listed more than once"),
      ...proofs(FAULTS, "the listing ends, each tool once, with a diagnostic"),
      ...proofs("test/Floods.test.ts", "pages without end, of 5 MB each")
    ],
    break: {
      file: `${REGISTRY}/src/sdk/ToolPages.ts`,
      find: "if (seen.has(next)) return",
      replace: "if (false) return"
    }
  },
  {
    id: "R55",
    promise: "What a server does not declare it is not asked for; what it declares and does not know is an empty list.",
    proofs: [
      ...proofs(test("Startup"), "asks a server that declares nothing for nothing"),
      ...proofs(test("McpServer"), "stays ready with an empty list when tools are declared and cannot be listed"),
      ...proofs(FAULTS, "no tools declared: none are asked for", "tools declared but tools/list unknown")
    ],
    break: {
      file: `${REGISTRY}/src/sdk/SdkConnection.ts`,
      find: "client.getServerCapabilities()?.tools === undefined",
      replace: "client.getServerCapabilities() === undefined"
    }
  },
  {
    id: "R56",
    promise: "What is offered to a server is what is handled, and whatever it asks is answered within a second.",
    proofs: [
      ...proofs(CATALOGUE, "offers a server nothing that it does not handle, and answers at once"),
      ...proofs(FAULTS, "what nobody offered is refused within a second")
    ],
    break: {
      file: `${REGISTRY}/src/sdk/SdkConnection.ts`,
      find: "{ capabilities: {} }",
      replace: "{ capabilities: { sampling: {} } }"
    },
    open: "nothing is offered yet: elicitation, sampling, roots and logging come with issue 7"
  },
  {
    id: "R102",
    promise: "What search and describe give back is the schema in the provider's dialect.",
    proofs: proofs(DEFERRAL, "are described to a model in its own dialect, whole where it asks for it"),
    break: {
      file: "packages/chat/src/SpokenTools.ts",
      find: "Dialect.speak([tool], dialect)",
      replace: "Dialect.speak([tool], \"raw\")"
    }
  },
  {
    id: "R103",
    promise: "Changing a schema is pure, and the same again when repeated; a property may be called what it likes.",
    proofs: proofs(
      SCHEMA,
      "leaves what it is given as it was, and is the same again when applied twice",
      "takes properties called type, properties, required and items for properties",
      "leaves a property called oneOf alone",
      "is legal whatever is at the root"
    ),
    break: {
      file: "packages/toolkit/src/ToolSchema.ts",
      find: "filter(([key]) => !CHOICES.includes(key)))",
      replace: "filter(() => true))"
    },
    open: DIALECTS
  },
  {
    id: "R104",
    promise: "A request without tools has no `tools` key.",
    proofs: [
      ...proofs("packages/language-models/test/ToolEncoding.test.ts", "gives no keys at all without tools"),
      ...proofs("packages/language-models/test/AiSdkModel.test.ts", "when there are no tools (R104)")
    ],
    break: {
      file: "packages/language-models/src/ToolEncoding.ts",
      find: "options.tools.length === 0",
      replace: "options.tools.length < 0"
    }
  },
  open(
    "R105",
    "A server's instructions are taken once, cut to a size, in an order that never changes.",
    "not built yet: instructions are not read (issue 7)"
  )
]
