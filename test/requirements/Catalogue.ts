/** The tools there are: their names, their schemas, which of them are offered, and what else a server may have. */
import { proofs, type Requirement } from "./Requirement.ts"

const test = (name: string) => `packages/mcp-registry/test/${name}.test.ts`
const client = (name: string) => `packages/mcp-client/test/${name}.test.ts`
const CATALOGUE = test("McpRegistry/offerings/Catalogue")
const SCHEMA = "packages/toolkit/test/dialects/ToolSchema.test.ts"
const FAULTS = "test/Faults.test.ts"
const DEFERRAL = "packages/chat/test/chats/Chats/ToolDeferral.test.ts"
const SEARCH_TOOLS = "packages/toolkit/test/tools/SearchTools.test.ts"

const DIALECT = "packages/toolkit/test/tools/SchemaDialect.test.ts"
const LIVE_TOOLS = "packages/toolkit/test/McpToolkit/LiveTools.test.ts"
/** What providers were reported to refuse, which the rules refuse too. */
const REPORTS = "packages/toolkit/test/McpToolkit/Reports.test.ts"
const REQUESTS = "test/ProviderRequests.test.ts"

export const catalogue: ReadonlyArray<Requirement> = [
  {
    id: "R8",
    promise: "One bad tool costs that tool alone, and is named with the reason.",
    proofs: [
      ...proofs(DIALECT, "leaves out the one tool that cannot be said, with server and reason"),
      ...proofs(
        LIVE_TOOLS,
        ", or left out with a reason",
        "one that cannot be said leaves the others"
      ),
      ...proofs(
        test("tools/Discovery"),
        "lets a malformed tool cost itself alone",
        "judges every tool of any listing, and none twice"
      ),
      ...proofs(test("lifecycle/McpServer"), "costs only itself when one tool is nested thousands of levels deep"),
      ...proofs(FAULTS, "malformed tools cost only themselves"),
      ...proofs(REQUESTS, "leaves with N-1 of N tools when one cannot be said, which is named")
    ],
    break: {
      file: "packages/toolkit/src/tools/SchemaDialect.ts",
      find: "onFailure: (reason) => unspeakable.push({ name: tool.name, server: tool.server, reason }),",
      replace: "onFailure: () => spoken.push(tool),"
    }
  },
  {
    id: "R9",
    promise: "Combinators at the root of a schema become one object for Anthropic; nested ones stay as they are.",
    proofs: [
      ...proofs(
        "packages/toolkit/test/dialects/AnthropicDialect.test.ts",
        "at the root, of object branches and of branches that only require",
        "makes one object of allOf at the root, which requires what every part requires",
        "sends combinators below the root byte for byte as they came"
      ),
      ...proofs(SCHEMA, "says which of its properties a schema needs, when branches only require some"),
      ...proofs(LIVE_TOOLS, "keep for Anthropic every choice that is not at the root, byte for byte"),
      ...proofs(
        REPORTS,
        "refuses for Anthropic branches at the root that only require",
        "refuses for Anthropic branches of objects at the root",
        "refuses for OpenAI the choices at the root"
      ),
      ...proofs(REQUESTS, "holds all 565 real tools in a form it takes")
    ],
    break: {
      file: "packages/toolkit/src/dialects/ToolSchema.ts",
      find: "if (chosen.length > 0) return flat(declared)",
      replace: ""
    }
  },
  {
    id: "R10",
    promise: "Schemas without properties or items get them, and a tool without parameters a placeholder of ours.",
    proofs: [
      ...proofs(
        DIALECT,
        "a tool without parameters gets a placeholder, which never reaches its server",
        "gives objects their properties and arrays their items, nested too"
      ),
      ...proofs(
        LIVE_TOOLS,
        "with properties for every object and items for every array",
        "without parameters have a placeholder of ours in"
      ),
      ...proofs(
        REPORTS,
        "refuses for OpenAI the tool without properties",
        "refuses for OpenAI the empty schema",
        "refuses for OpenAI arrays without items"
      )
    ],
    break: {
      file: "packages/toolkit/src/dialects/Arguments.ts",
      find: "filter(([name]) => name !== PropertyNames.NAME)",
      replace: "filter(() => true)"
    }
  },
  {
    id: "R11",
    promise: "A schema for Gemini holds what Gemini knows and nothing else.",
    proofs: [
      ...proofs(
        "packages/toolkit/test/dialects/GeminiDialect.test.ts",
        "holds only what Gemini knows: one type each, enums of text, no reference",
        "in its own way"
      ),
      ...proofs(LIVE_TOOLS, "come out for Gemini with what Gemini knows"),
      ...proofs(
        REPORTS,
        "refuses for Gemini the definitions",
        "refuses for Gemini type lists and constants",
        "refuses for Gemini numbers in an enum"
      ),
      ...proofs(REQUESTS, "holds the hostile tools in a form it takes")
    ],
    break: {
      file: "packages/toolkit/src/dialects/GeminiDialect.ts",
      find: "=> KEPT[type]?.has(key) && isKept(type, key, value)",
      replace: "=> isKept(type, key, value)"
    }
  },
  {
    id: "R12",
    promise: "A schema that refers to itself ends, within bounds of depth and size.",
    proofs: [
      ...proofs(
        "packages/toolkit/test/dialects/GeminiDialect.test.ts",
        "says a schema that refers to itself twice, and then no more",
        "bounds what references grow to, in size, depth and time"
      ),
      ...proofs(
        "packages/toolkit/test/McpToolkit/Properties.test.ts",
        "a schema stays as it was, and what comes out is one object of at most 256 kB"
      ),
      ...proofs(DIALECT, "looks no further into a schema than anybody would send it"),
      ...proofs(LIVE_TOOLS, "never grow past a cap in"),
      ...proofs(SCHEMA, "ends for branches that lead to one another in every way"),
      ...proofs(
        "packages/toolkit/test/dialects/AnthropicDialect.test.ts",
        ", and follows none out of the schema"
      )
    ],
    break: {
      file: "packages/toolkit/src/dialects/FlattenedSchema.ts",
      find: "trail.filter((step) => step === reference).length >= UNROLLED",
      replace: "false"
    }
  },
  {
    id: "R13",
    promise: "Illegal property keys get aliases, and the wire carries the keys as they were.",
    proofs: [
      ...proofs(
        DIALECT,
        "keys that a provider refuses get names that it takes, and the wire has theirs",
        "keeps what looks like a name of ours where it is data"
      ),
      ...proofs(
        "packages/toolkit/test/McpToolkit/Properties.test.ts",
        "arguments that fit the schema come back by the names that were declared"
      ),
      ...proofs(LIVE_TOOLS, "with keys no provider takes get others in"),
      ...proofs(
        REPORTS,
        "refuses for Anthropic the dotted and bracketed keys",
        "refuses for Gemini names of parameters"
      )
    ],
    break: {
      file: "packages/toolkit/src/dialects/Arguments.ts",
      find: "const name = changes.names.declared(alias)",
      replace: "const name = alias"
    }
  },
  {
    id: "R14",
    promise:
      "Every tool has a legal name of at most 64 characters, the same for ever, and goes by its own on the wire.",
    proofs: [
      ...proofs(
        test("tools/ToolName"),
        "gives only legal names that are not reserved, whatever the raw ones",
        "cuts a name of more than 64 characters",
        "begins a name that would begin with a digit with _",
        "gives today's suffixes for ever"
      ),
      ...proofs(test("McpRegistry"), "sends the raw tool name on the wire"),
      ...proofs("test/Smoke.test.ts", "(7) holds nine servers with at least 158 tools at once")
    ],
    break: {
      file: "packages/mcp-registry/src/tools/ToolName.ts",
      find: "text.replace(/[^a-zA-Z0-9_-]/gu, \"_\")",
      replace: "text"
    }
  },
  {
    id: "R15",
    promise: "Two tools never share a name, whatever they and their servers are called.",
    proofs: [
      ...proofs(
        test("tools/ToolName"),
        "keeps the plain names for the server that was legal as written",
        "never gives one name to two tools, of one server or of several"
      ),
      ...proofs(test("McpRegistry"), "names two servers' tools of the same name apart")
    ],
    break: {
      file: "packages/mcp-registry/src/tools/ToolName.ts",
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
        "are named but not defined, found and called, and what models are given stays the same to the letter",
        "can be called by their own names without a search",
        "pass the gate as the tool that is meant",
        "come from a server that was late, for which a search waits"
      ),
      ...proofs(
        "packages/chat/test/turn/DeferredDefinitions.test.ts",
        "are marked, referred to by answers of searches, called by name"
      ),
      ...proofs(
        SEARCH_TOOLS,
        "gives the best tools with their parameters",
        "waits before it looks, and says which servers still connect"
      ),
      ...proofs(
        "packages/toolkit/test/search/ToolSearch.test.ts",
        "gives a tool whose name is said before all others",
        "forgives slips of the hand"
      ),
      ...proofs(
        "test/ToolSearch.test.ts",
        "finds and calls one of 300 tools, and what the model is given stays the same to the letter",
        "waits in a search for a server that is late"
      )
    ],
    break: {
      file: "packages/chat/src/turn/ToolCalls.ts",
      find: "said.name === IndirectCall.CALL ? IndirectCall.meant(said.params) : null",
      replace: "null"
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
        "never make a request with more tools than the provider takes, however many are always loaded"
      ),
      ...proofs("packages/toolkit/test/tools/Deferral.test.ts", "leaves room for the tools that find and call others"),
      ...proofs("test/ToolSearch.test.ts", "sends at most 128 of 300 tools also without deferral")
    ],
    break: {
      file: "packages/toolkit/src/tools/Deferral.ts",
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
        "packages/chat/test/chats/Chats.test.ts",
        "neither shows nor calls a tool that the agent's patterns do not allow"
      ),
      ...proofs(DEFERRAL, "are neither named, found nor called when the agent may not use them"),
      ...proofs(SEARCH_TOOLS, "finds nothing that may not be used, and does not tell of it either"),
      ...proofs("packages/tool-glob/test/ToolGlob.test.ts", "decides as the slow reference does"),
      ...proofs("packages/chat/test/agents/Agents.test.ts", "keeps unquoted stars and denials"),
      ...proofs("test/Smoke.test.ts", "(5) shows an agent only what its patterns allow")
    ],
    break: {
      file: "packages/mcp-registry/src/tools/Discovery.ts",
      find: "allowed.allows(label) ? null :",
      replace: "true ? null :"
    }
  },
  {
    id: "R51",
    promise: "The tools are the same to the byte, whatever the order of connecting, reconnecting and starting.",
    proofs: [
      ...proofs(test("tools/Discovery"), "sorts by name, whatever the order of the server"),
      ...proofs(CATALOGUE, "is the same to the byte, in whatever order servers connect"),
      ...proofs(DEFERRAL, "are the same bytes whatever the order in which servers came"),
      ...proofs(
        "packages/chat/test/turn/StandingPrefix.test.ts",
        "stays the same to the letter when a server joins late"
      ),
      ...proofs(test("tools/ToolName"), "gives the same names in whatever order tools and servers come")
    ],
    break: {
      file: "packages/mcp-registry/src/tools/Discovery.ts",
      find: "tools.sort(alphabetically)",
      replace: ""
    }
  },
  {
    id: "R52",
    promise:
      "A changed list is there for the next turn; a burst costs two listings at most; a running turn keeps its own.",
    proofs: [
      ...proofs(test("lifecycle/McpServer"), "lists again at most twice for a burst of a hundred changes"),
      ...proofs(FAULTS, "a burst of 100 list_changed costs two listings"),
      ...proofs(
        test("McpRegistry/offerings/OfferingTroubles"),
        "R52: a list that changed while it was given is asked for once more"
      ),
      ...proofs(
        "packages/chat/test/chats/Chats.test.ts",
        "keeps the tools of a running turn as they were when it began",
        "lets an agent without `tools:` use servers that come late, from the next turn on"
      )
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Inbound.ts",
      find: "({ notifications }) => notifications.toolsChanged(),",
      replace: "() => {},"
    }
  },
  {
    id: "R53",
    promise: "All pages of a list are read.",
    proofs: [
      ...proofs(client("rpc/Listings"), "follows the cursor over all pages, in order"),
      ...proofs(test("servers/Offerings"), "R53: all pages of prompts, resources and templates are read"),
      ...proofs(FAULTS, "1,000 tools in ten pages are all there")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Listings.ts",
      find: "typeof nextCursor === \"string\" && nextCursor !== \"\" ? nextCursor : null",
      replace: "null"
    }
  },
  {
    id: "R54",
    promise:
      "A list that never ends is ended: repeated, empty and ever new cursors, with each tool once and a diagnostic.",
    proofs: [
      ...proofs(
        client("rpc/Listings"),
        "stops at a cursor that comes again",
        "stops at an empty, null or meaningless cursor",
        "stops after 100 pages of ever new cursors",
        "stops at a server that answers with its first page whatever the cursor is"
      ),
      ...proofs(test("servers/Offerings"), "R54: a repeated cursor and pages without end are ended"),
      ...proofs(test("tools/Discovery"), "keeps the first of tools that are listed more than once"),
      ...proofs(FAULTS, "the listing ends, each tool once, with a diagnostic"),
      ...proofs("test/Floods.test.ts", "pages without end, of 5 MB each")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Listings.ts",
      find: "if (seen.has(next)) return",
      replace: "if (false) return"
    }
  },
  {
    id: "R55",
    promise: "What a server does not declare it is not asked for; what it declares and does not know is an empty list.",
    proofs: [
      ...proofs(test("McpRegistry/lifecycle/Startup"), "asks a server that declares nothing for nothing"),
      ...proofs(
        test("lifecycle/McpServer"),
        "stays ready with an empty list when tools are declared and cannot be listed"
      ),
      ...proofs(test("servers/Offerings"), "R55: a server that declares neither is asked for neither"),
      ...proofs(FAULTS, "no tools declared: none are asked for", "tools declared but tools/list unknown")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Conversation.ts",
      find: "if (!declares(\"tools\")) return NO_TOOLS",
      replace: ""
    }
  },
  {
    id: "R56",
    promise: "What is offered to a server is what is handled, and whatever it asks is answered within a second.",
    proofs: [
      ...proofs(
        test("McpRegistry/asks/ServerQuestions"),
        "is exactly what the host answers, in the handshake",
        "and nothing else: the rest is unknown at once, and what is no request of the protocol is refused"
      ),
      ...proofs(
        test("McpRegistry/asks/ServerAsking"),
        "is answered by the asker of the call, who is told which server asks"
      ),
      ...proofs(test("McpRegistry/rpc/Rounds"), "gets all it asks for in one round, and its state as it came"),
      ...proofs(CATALOGUE, "offers a server nothing that it does not handle, and answers at once"),
      ...proofs(FAULTS, "what nobody offered is refused within a second"),
      ...proofs(
        "test/InteropMatrix.test.ts",
        "a form is answered, with its defaults",
        "an address to visit is answered",
        "the model is asked",
        "the folders to work in are told"
      ),
      ...proofs(
        "test/Questions.test.ts",
        "forms, addresses and samplings of servers of both eras are asked in the chat"
      )
    ],
    break: {
      file: "packages/mcp-client/src/host/ServerRequests.ts",
      find: "...(sampling ? { sampling: {} } : {}),",
      replace: "sampling: {},"
    }
  },
  {
    id: "R102",
    promise: "What search and describe give back is the schema in the provider's dialect.",
    proofs: [
      ...proofs(DEFERRAL, "are described to a model in its own dialect, whole where it asks for it"),
      ...proofs(SEARCH_TOOLS, "answers in the dialect of the model, and says which tools that cannot say")
    ],
    break: {
      file: "packages/chat/src/tools/DialectTools.ts",
      find: "Dialect.speak([tool], dialect)",
      replace: "Dialect.speak([tool], \"raw\")"
    }
  },
  {
    id: "R103",
    promise: "Changing a schema is pure, and the same again when repeated; a property may be called what it likes.",
    proofs: [
      ...proofs(
        "packages/toolkit/test/McpToolkit/Properties.test.ts",
        "a schema stays as it was, and what comes out is one object of at most 256 kB",
        "converting what was converted changes nothing"
      ),
      ...proofs(LIVE_TOOLS, ", and said twice are the same", "is no less in"),
      ...proofs(
        SCHEMA,
        "leaves what it is given as it was, and is the same again when applied twice",
        "takes properties called type, properties, required and items for properties",
        "leaves a property called oneOf alone"
      ),
      ...proofs(
        DIALECT,
        "takes __proto__ for a property like any other, under another name",
        "strips contentEncoding and contentMediaType, and keeps properties of that name"
      )
    ],
    break: {
      file: "packages/toolkit/src/dialects/NormalizedSchema.ts",
      find: "this.#completion.of(Object.fromEntries(entries), at, place)",
      replace: "this.#completion.of(Object.assign(at, Object.fromEntries(entries)), at, place)"
    }
  },
  {
    id: "R104",
    promise: "A request without tools has no `tools` key.",
    proofs: [
      ...proofs("packages/language-models/test/encoding/ToolEncoding.test.ts", "gives no keys at all without tools"),
      ...proofs("packages/language-models/test/AiSdkModel.test.ts", "when there are no tools (R104)")
    ],
    break: {
      file: "packages/language-models/src/encoding/ToolEncoding.ts",
      find: "options.tools.length === 0",
      replace: "options.tools.length < 0"
    }
  },
  {
    id: "R105",
    promise: "A server's instructions are taken once, cut to a size, in an order that never changes.",
    proofs: [
      ...proofs(
        test("state/SelfDescription"),
        "is cleaned, holds no secret, and is cut at 4,000 characters with a mark",
        "is in its status in both eras: instructions and what it can do"
      ),
      ...proofs(
        "packages/chat/test/turn/ServerContext.test.ts",
        "never take more than their room, end no mark but their own, and do not depend on any order",
        "come into the system prompt, sorted by server",
        "leave the system prompt as it is to the byte while servers reconnect"
      ),
      ...proofs("test/InteropMatrix.test.ts", "instructions are kept")
    ],
    break: {
      file: "packages/mcp-registry/src/state/SelfDescription.ts",
      find: "export const MOST_INSTRUCTIONS = 4000",
      replace: "export const MOST_INSTRUCTIONS = 400000"
    }
  }
]
