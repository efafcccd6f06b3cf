/** What happens between a model and its tools: arguments, results, errors, history, and who stops what. */
import { proofs, type Requirement } from "./Requirement.ts"

const chat = (name: string) => `packages/chat/test/${name}.test.ts`
const toolkit = (name: string) => `packages/toolkit/test/${name}.test.ts`
export const conversation: ReadonlyArray<Requirement> = [
  {
    id: "R31",
    promise: "Wherever a turn was cut, the next request answers each call exactly once, right after it.",
    proofs: [
      ...proofs(
        chat("history/History"),
        "is what providers accept, wherever turns were cut",
        "fills a result that never came with an error that says so",
        "keeps every result of a well-formed turn, cut at any point"
      ),
      ...proofs(
        chat("history/HistoryRepair"),
        "makes any interleaving of calls, results and words sound, once and for all",
        "answers each call exactly once, directly after it, and keeps each real result: blocks",
        "gives a sound history back as it is (R31)"
      ),
      ...proofs(chat("chats/Chats/HistoryRepairUi"), "makes any parts in any states sound, once and for all"),
      ...proofs(
        chat("turn/Turn"),
        "cancels tools, closes open calls and finishes with `stopped` when it is interrupted"
      ),
      ...proofs(
        chat("turn/Compaction"),
        "keeps every call answered, fits where it can, changes nothing when it is done again, and only ever leaves out more"
      ),
      ...proofs(
        chat("turn/ModelRequest"),
        "without running the calls of an answer that broke off, which no model sees again"
      ),
      ...proofs(chat("chats/Chats"), "stops a turn: its tools are cancelled"),
      ...proofs(
        chat("chats/Chats/Revived"),
        "go on with each call answered exactly once, right after it, wherever it was killed"
      ),
      ...proofs("test/Kill.test.ts", "R31: keeps all that a client had seen, answers open calls")
    ],
    break: {
      file: "packages/chat/src/history/HistoryRepair.ts",
      find: "calls.map((call) => resultOf(work, call, at, apart))",
      replace: "calls.slice(0, 1).map((call) => resultOf(work, call, at, apart))"
    }
  },
  {
    id: "R32",
    promise: "Whatever fails in a call is an error result with the real message, and the turn goes on.",
    proofs: [
      ...proofs(
        toolkit("McpToolkit"),
        "names server, tool, message and hint when a call fails with",
        "gives a tool's own error to the model as an error result",
        "answers a mistake of ours with an error result that hides its details"
      ),
      ...proofs(
        chat("turn/Turn"),
        "answers unknown tools, unreadable arguments, errors and defects as results, and goes on"
      ),
      ...proofs(
        "packages/mcp-registry/test/calls/ServerCall.test.ts",
        "gives a tool's own error and a JSON-RPC error as results"
      )
    ],
    break: {
      file: "packages/toolkit/src/McpToolkit.ts",
      find: "if (Result.isSuccess(error)) return Effect.succeed(failed(tool, error.success))",
      replace: "if (Result.isSuccess(error)) return Effect.die(error.success)"
    }
  },
  {
    id: "R33",
    promise: "An error result names server, tool and the server's own words, without secrets and cut to a size.",
    proofs: [
      ...proofs(
        toolkit("McpToolkit"),
        "bounds what a server says about its error",
        "names server, tool, message and hint when a call fails with",
        "says in one line that a server is unreachable, and why"
      ),
      ...proofs(chat("turn/Turn"), "takes a result with an error mark to the model as an error with its real text"),
      ...proofs("packages/mcp-client/test/http/HttpFailure.test.ts", "lets no configured secret into any reason")
    ],
    break: {
      file: "packages/toolkit/src/McpToolkit.ts",
      find: "const ERROR_TEXT_BYTES = 8192",
      replace: "const ERROR_TEXT_BYTES = 81920"
    }
  },
  {
    id: "R34",
    promise: "After three failures of one server in a turn, calls to it are answered here with \"do not retry\".",
    proofs: proofs(
      chat("turn/CallCircuit"),
      "answers calls of a server that failed three times in a row here, says why and not to retry",
      "sends a dead server three calls, however long the model goes on",
      "lets a server that was started again be tried once more, and once only",
      "leaves other servers and built-in tools alone, and tries again in the next turn"
    ),
    break: {
      file: "packages/chat/src/turn/CallCircuit.ts",
      find: "if (refused !== null) return",
      replace: "if (refused === undefined) return"
    }
  },
  {
    id: "R35",
    promise: "A model reads a result up to its cap with a notice and a handle; the whole is kept outside the context.",
    proofs: [
      ...proofs(toolkit("results/ToolResult"), "cuts long text, says so, and keeps the whole in a file"),
      ...proofs(
        toolkit("results/ModelText"),
        "keeps head and tail of a long one, with a notice and the handle between them"
      ),
      ...proofs(toolkit("McpToolkit"), "cuts results at the limit of the server's entry"),
      ...proofs(toolkit("results/ResultFiles"), "gives back what it kept, across starts")
    ],
    break: {
      file: "packages/toolkit/src/results/ResultLimit.ts",
      find: "const file = yield* (yield* ResultFiles).write(whole)",
      replace: "const file = null"
    }
  },
  {
    id: "R36",
    promise: "Text is cut at bytes and between characters: valid UTF-8, within the cap, no replacement character.",
    proofs: [
      ...proofs(
        toolkit("text/Utf8"),
        "cuts 10 MB of emoji without a replacement character",
        "cuts to a start within the limit that is valid UTF-8"
      ),
      ...proofs(
        toolkit("results/ToolResult"),
        "keeps 10 MB within 5,000,000 bytes for text, content and structured content together"
      )
    ],
    break: {
      file: "packages/toolkit/src/text/Utf8.ts",
      find: "return text.slice(0, new TextEncoder().encodeInto(text, room).read)",
      replace: "return text.slice(0, maxBytes)"
    }
  },
  {
    id: "R57",
    promise: "Missing, null and empty arguments go out as {}.",
    proofs: [
      ...proofs(toolkit("validation/ToolArguments"), "makes {} of missing, null and empty arguments"),
      ...proofs(toolkit("McpToolkit"), "sends {} for arguments that are missing, null or empty"),
      ...proofs("packages/mcp-registry/test/McpRegistry.test.ts", "takes missing, null and empty arguments as {}")
    ],
    break: {
      file: "packages/toolkit/src/validation/ToolArguments.ts",
      find: "if (args.trim() === \"\") return Result.succeed({})",
      replace: ""
    }
  },
  {
    id: "R58",
    promise: "Text in place of an object or array is read as one where the schema wants one, and nowhere else.",
    proofs: [
      ...proofs(
        toolkit("validation/ToolArguments"),
        "guesses nothing else",
        "reads text as an object or array where the schema wants one and no text",
        "keeps an object as it is, its strings too",
        "reads an object whose text was written as JSON once more",
        "reads the text of an object as that object"
      ),
      ...proofs(
        toolkit("validation/ToolArguments"),
        "sees through references, allOf, tuples, maps, and branches that agree",
        "changes nothing that is valid, is done after once, and never fails"
      ),
      ...proofs(toolkit("McpToolkit"), "repairs arguments as the declared schema wants them")
    ],
    break: {
      file: "packages/toolkit/src/validation/ArgumentRepair.ts",
      find: "return instancePath === path && Violations.KIND.has(keyword)",
      replace: "return false"
    }
  },
  {
    id: "R59",
    promise: "Tools are sent non-strict; null for an optional property that does not take it is left out.",
    proofs: [
      ...proofs(toolkit("validation/ToolArguments"), "drops null for an optional property that does not accept it"),
      ...proofs(toolkit("McpToolkit"), "defines each tool in the dialect of openai, not strict, unless told"),
      ...proofs(
        toolkit("dialects/OpenAiDialect"),
        "closes every object, requires every property and lets optional ones be null",
        "drops a null that only strict asked for, and keeps one that was declared"
      ),
      ...proofs("test/ProviderRequests.test.ts", "holds all 565 real tools in a form it takes")
    ],
    break: {
      file: "packages/toolkit/src/validation/ArgumentRepair.ts",
      find: "if (value === null) return isObject(",
      replace: "if (value === 0) return isObject("
    }
  },
  {
    id: "R60",
    promise: "A result is never empty: structured content, or a word, takes the place of blank content.",
    proofs: proofs(
      toolkit("results/ToolResult"),
      "falls back to structured content, then to (no output), and is never blank",
      "keeps every result within its limit, well-formed and never empty"
    ),
    break: {
      file: "packages/toolkit/src/results/ToolResult.ts",
      find: "structured === null ? \"(no output)\"",
      replace: "structured === null ? \"\""
    }
  },
  {
    id: "R61",
    promise: "One of content and structured content reaches the model, by a written rule; both are kept for who looks.",
    proofs: [
      ...proofs(
        toolkit("results/ToolResult"),
        "shows content alone when there is structured content too",
        "shows structured content alone where the entry prefers it, and content where there is no other"
      ),
      ...proofs(toolkit("McpToolkit"), "answers a call with the text of its result")
    ],
    break: {
      file: "packages/toolkit/src/results/ToolResult.ts",
      find: "const whole = isStructured ? fallback(structuredContent) : joined",
      replace: "const whole = joined + fallback(structuredContent)"
    }
  },
  {
    id: "R62",
    promise: "Structured content that does not fit its schema is a diagnostic, and the result still arrives.",
    proofs: [
      ...proofs(
        toolkit("tools/ToolCall"),
        "gives an answer unchanged that does not match its outputSchema, with a diagnostic",
        "says when structured content was declared and none came",
        "says nothing of an answer that matches, nor of an error"
      ),
      ...proofs(
        "apps/cli/test/commands/McpCommands.test.ts",
        "tells people on standard error what is wrong with an answer"
      )
    ],
    break: {
      file: "packages/toolkit/src/validation/CallCheck.ts",
      find: "if (outputSchema === null || isError) return []",
      replace: "if (outputSchema === null || !isError) return []"
    }
  },
  {
    id: "R63",
    promise: "A sound image reaches a model that sees; any other is a line of text, and base64 never is.",
    proofs: [
      ...proofs(
        chat("history/History"),
        "puts a line in place of an image that providers refuse",
        "sends no image of an earlier turn, so that a refused one ends one turn alone"
      ),
      ...proofs(
        chat("chats/Chats/Attached"),
        "show images to the model in front of the words",
        "of earlier turns end no turn when the provider refuses one"
      ),
      ...proofs(
        "packages/language-models/test/encoding/PromptEncoding.test.ts",
        "sends an image of a result as a file where the provider takes it",
        "names a file in the text where the provider does not take it in the result",
        "sends the images of all results of one answer in a message of the user behind the last of them"
      ),
      ...proofs(
        toolkit("results/ToolResult"),
        "keeps images and audio as blocks and names them in one line, never as base64"
      ),
      ...proofs(
        toolkit("results/ModelImage"),
        "finds what breaks off, wherever it does",
        "sends what is small enough as it is, and has the rest made smaller"
      ),
      ...proofs(
        "apps/chat-server/test/App/SharpMissing.test.ts",
        "starts, sends what providers take, leaves out the rest with a reason, and says once why"
      ),
      ...proofs(chat("turn/Images"), "keeps 3 to 6 of the newest, however many there are, and a line for each other"),
      ...proofs("test/Contents.test.ts", "makes a large screenshot small enough for a model, and refuses bombs")
    ],
    break: {
      file: "packages/toolkit/src/results/ModelImage.ts",
      find: "return bytes === null ? Result.fail(\"its data is not base64\") : ImageHeader.read(bytes)",
      replace:
        "return Result.succeed({ bytes: bytes ?? new Uint8Array(), mediaType: \"image/png\", width: 1, height: 1 })"
    }
  },
  {
    id: "R64",
    promise: "Every kind of content, unknown ones too, is shown in the same way each time and says what is left out.",
    proofs: [
      ...proofs(
        toolkit("results/ToolResult"),
        "says of every other block what was left out, always in the same words",
        "shows an embedded resource as JSON of two spaces",
        "gives a resource link one line",
        "keeps images and audio as blocks and names them in one line"
      ),
      ...proofs("packages/mcp-registry/test/calls/ServerCall.test.ts", "keeps content that the protocol does not know")
    ],
    break: {
      file: "packages/toolkit/src/results/ContentBlock.ts",
      find: "link(block) : unknown(block)",
      replace: "link(block) : \"\""
    }
  },
  {
    id: "R97",
    promise: "Only stop ends a turn: closing the stream leaves it running, and stop cancels what it calls.",
    proofs: [
      ...proofs(
        chat("chats/Chats"),
        "R97: keeps a turn running when its listener goes away, and lets another listener go on from there",
        "stops a turn: its tools are cancelled"
      ),
      ...proofs(
        "test/Chats.test.ts",
        "R97: a closed connection leaves the turn running",
        "R97: stop in the middle of a call"
      ),
      ...proofs(
        chat("turn/Turn"),
        "cancels tools, closes open calls and finishes with `stopped` when it is interrupted"
      ),
      ...proofs("test/Page.test.ts", "shows a running turn again after a reload, and Escape stops it"),
      ...proofs("test/Terminal.test.ts", "R97: Ctrl-C stops the turn, also in a question, and a second one leaves")
    ],
    break: {
      file: "packages/chat/src/chats/ChatEngine.ts",
      find: "(session) => ChatSession.events(session, after)",
      replace: "(session) => Stream.ensuring(ChatSession.events(session, after), queue.stop(session))"
    }
  },
  {
    id: "R98",
    promise: "A chat opens whatever its servers do, and its stream warns of each that is not there.",
    proofs: [
      ...proofs(chat("chats/Chats"), "R98: says on the first turn, once, which servers are not there"),
      ...proofs(
        chat("chats/Chats/ChatEdits"),
        "R98: is read while servers are down, connecting, or cannot even be asked for"
      ),
      ...proofs("test/Company.test.ts", "a first turn completes with the good server's tools")
    ],
    break: {
      file: "packages/chat/src/turn/ServerContext.ts",
      find: "state === \"failed\" || state === \"needs-auth\" ||",
      replace: "state === \"needs-auth\" ||"
    }
  },
  {
    id: "R100",
    promise: "Escapes, control, bidirectional and tag characters of a server reach no terminal and no model; emoji do.",
    proofs: [
      ...proofs(
        "apps/cli/test/terminal/Output.test.ts",
        "removes what a terminal would obey, and keeps what people read"
      ),
      ...proofs(
        "packages/mcp-client/test/base/CleanText.test.ts",
        "removes terminal escapes with their payload, and control characters",
        "removes tag characters, also after a black flag, unless they are one of the three flags",
        "loses nothing that is seen of a text that was decoded wrongly",
        "takes no letter from any script, only what guides how it is set",
        "keeps every emoji that Unicode recommends",
        "leaves nothing that hides"
      ),
      ...proofs(
        "packages/mcp-registry/test/tools/Discovery.test.ts",
        "removes terminal escapes from titles and descriptions"
      ),
      ...proofs("test/Contents.test.ts", "removes all that hides from names, results, errors and progress")
    ],
    break: {
      file: "packages/mcp-client/src/base/CleanText.ts",
      find: "return HIDDEN.test(printable) ? printable.replace(writingOrHidden(), \"$1\") : printable",
      replace: "return printable"
    }
  },
  {
    id: "R101",
    promise: "Every result says which server and tool it is from and whether they are trusted.",
    proofs: [
      ...proofs(
        toolkit("results/ModelText"),
        "lets no text end its marks, and no name add to them",
        "marks what a server wrote with server, tool and trust, always in the same words"
      ),
      ...proofs(
        chat("turn/CallCircuit"),
        "says so in its own words alone, outside of the marks whose instructions a model ignores"
      ),
      ...proofs("test/Contents.test.ts", "removes all that hides from names, results, errors and progress")
    ],
    break: {
      file: "packages/toolkit/src/text/Frame.ts",
      find: "return text.includes(number) ? nonce(numbers, text, attempt + 1) : number",
      replace: "return \"00000000\""
    }
  },
  {
    id: "R106",
    promise:
      "Two calls of one tool in one answer are two, also for the person who is asked, whatever ids the model gives them.",
    proofs: [
      ...proofs(
        toolkit("tools/Approval"),
        "makes two requests of two parallel calls of one tool, each with its own answer"
      ),
      ...proofs(
        toolkit("McpToolkit/McpToolkitLoop"),
        "asks before a call, each call for itself, as the example in the README does"
      ),
      ...proofs(
        toolkit("McpToolkit/AiSdk"),
        "asks by its hook while the call waits: two calls of one tool are two requests"
      ),
      ...proofs(chat("turn/Turn"), "keeps two parallel calls of one tool apart, also when the model gives them one id"),
      ...proofs(
        chat("asking/ToolApprovals"),
        "R106: makes two requests of two calls of one tool in one answer, each answered by itself"
      ),
      ...proofs(
        "apps/cli/test/chat/TerminalApprovals.test.ts",
        "R106: asks about each of two calls of one tool, one question after the other"
      ),
      ...proofs(
        "test/Approvals.test.ts",
        "R106: are two for two calls of one tool in one answer, each answered by itself"
      )
    ],
    break: {
      file: "packages/toolkit/src/tools/Approval.ts",
      find: "id: yield* IdGenerator.defaultIdGenerator.generateId()",
      replace: "id: tool.name"
    }
  }
]
