/**
 * The text that somebody pasted in order to add servers: the JSON of a README, another application's file, a command
 * line, a command that adds a server elsewhere, an address, or a link of an _Install_ button.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ConfigEditor from "../edit/ConfigEditor.ts"
import * as ConfigFile from "../read/ConfigFile.ts"
import { surroundings } from "../read/ConfigFiles.ts"
import * as ConfigShape from "../shapes/ConfigShape.ts"
import * as ConfigText from "../text/ConfigText.ts"
import * as JsonEdit from "../text/JsonEdit.ts"
import type { Fault } from "../text/JsonNode.ts"
import * as JsonNode from "../text/JsonNode.ts"
import * as JsonObjectText from "../text/JsonObjectText.ts"
import * as ShellWords from "../text/ShellWords.ts"
import * as AddCommand from "./AddCommand.ts"
import * as CommandEntry from "./CommandEntry.ts"
import type { Advice } from "./EntryAdvice.ts"
import * as EntryAdvice from "./EntryAdvice.ts"
import * as InstallLink from "./InstallLink.ts"
import * as Snippet from "./Snippet.ts"

/** How a text says what it says: the shape of a file, or one of these. */
export const SHAPES = [
  ...["mcpServers", "entry", "command", "url", "package", "link"] as const,
  ...AddCommand.APPLICATIONS.map((name) => `${name}-command` as const),
  ...ConfigShape.names.filter((name) => name !== "native")
] as const

/** A name of `SHAPES`. */
export type PastedShape = (typeof SHAPES)[number]

/** One server of the text. */
export interface PastedServer {
  readonly name: string
  readonly entry: Schema.JsonObject
  /** The entry as it would be written, with the comments of the text where it is native. */
  readonly text: string
  readonly warnings: ReadonlyArray<Advice>
  /** Why it can never work; null for one that may. */
  readonly refused: Omit<Advice, "key"> | null
}

/** Why a text, or a part of it, is not understood. */
export interface PasteProblem {
  readonly message: string
  readonly hint: string
  readonly line: number | null
  readonly column: number | null
}

/** The meaning of a text. */
export interface Pasted {
  readonly servers: ReadonlyArray<PastedServer>
  /** Null where nothing was understood. */
  readonly shape: PastedShape | null
  readonly problems: ReadonlyArray<PasteProblem>
  /** The server of the MCP registry that a link names; null for any other text. */
  readonly published: string | null
}

/** Reads a text meant for a file. Starts nothing, writes nothing and never fails. At most 1 MB is read. */
export const read = Effect.fn("PastedText.read")(function*(text: string, file: string) {
  const found = yield* understood(bare(text), file)
  if (Result.isFailure(found)) {
    const link = InstallLink.read(bare(text))
    const published = link?._tag === "published" ? link.name : null
    return { servers: [], shape: null, problems: [found.failure], published } satisfies Pasted
  }
  const { notes, servers, shape } = found.success
  const named = withNames(servers)
  const done = yield* Effect.forEach(named, ([name, given, written]) => finished(name, given, written, file))
  const problems = notes.map((message) => ({ message, hint: NOTE_HINT, line: null, column: null }))
  return { servers: done, shape, problems, published: null } satisfies Pasted
})

const NOTE_HINT = "the rest was read; add what is missing to the entry"

interface Understood {
  /** A null name is made up; the text is the one that the entry stands in, null for one that came from no JSON. */
  readonly servers: ReadonlyArray<Named>
  readonly shape: PastedShape
  readonly notes: ReadonlyArray<string>
}

type Named = readonly [name: string | null, entry: Schema.JsonObject, written: string | null]

/** Without fences of Markdown and prompts of a shell; places stay where they were. */
const bare = (text: string): string =>
  text.replace(/^[ \t]*(?:```|~~~).*$/gm, "").replace(/^([ \t]*)[$%>](?=[ \t]+\S)/gm, "$1 ").replace(/^\uFEFF/, "")

type Outcome = Result.Result<Understood, PasteProblem>

const understood = Effect.fnUntraced(
  function*(text: string, file: string): Effect.fn.Return<Outcome, never, ConfigFile.Needs> {
    const trimmed = text.trim()
    if (trimmed === "") return problem("there is nothing to read", "paste what the README of the server shows")
    const format = formatOf(text)
    if (format !== null) return yield* fromFile(text, format, file)
    if (/^[a-z][a-z0-9+.-]+:\S+$/i.test(trimmed) && !/^(?:[a-z]:\\|localhost:\d)/i.test(trimmed)) {
      return yield* fromLink(trimmed, file)
    }
    const address = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/\S*)?$/i.exec(trimmed)?.[0]
    if (address !== undefined && /:\d|\/(?:mcp|sse)\b/.test(address)) {
      return fromAddress(`${/^(?:localhost|[\d.]+)[:/]/.test(address) ? "http" : "https"}://${address}`)
    }
    return yield* fromCommands(text, file)
  }
)

const problem = (message: string, hint: string, at: JsonNode.Place | null = null): Result.Result<never, PasteProblem> =>
  Result.fail({ message, hint, line: at?.line ?? null, column: at?.column ?? null })

const HINT = "paste { \"mcpServers\": { … } }, an entry, a command line, or an address"

const faulty = (fault: Fault): PasteProblem => ({
  message: fault.detail,
  hint: HINT,
  line: fault.line,
  column: fault.column
})

/** The language of a text that is a file or a part of one; null for anything else. */
const formatOf = (text: string): ConfigText.Format | null => {
  if (/^[ \t]*\[(?:mcp_servers)[.\]]/m.test(text)) return "toml"
  if (/^(?:extensions|mcpServers|mcp_servers|mcp):[ \t]*(?:#.*)?$/m.test(text)) return "yaml"
  return /^\s*[{"“]/.test(text) || /^[ \t]*\{[ \t]*(?:\/\/.*)?$/m.test(text) ? "json" : null
}

const fromFile = Effect.fnUntraced(function*(text: string, format: ConfigText.Format, file: string) {
  return format === "json" ? yield* fromJson(text, file) : yield* fromOtherFile(text, format, file)
})

const fromJson = Effect.fnUntraced(
  function*(text: string, file: string): Effect.fn.Return<Outcome, never, ConfigFile.Needs> {
    const [given, ...others] = [text, withoutProse(text), straight(text)]
    const first = yield* Effect.result(Snippet.parse(given, file))
    for (const other of others) {
      if (Result.isSuccess(first)) break
      const again = yield* Effect.result(Snippet.parse(other, file))
      if (Result.isSuccess(again)) return Result.succeed(ofSnippet(again.success, other))
    }
    return Result.mapBoth(first, { onSuccess: (snippet) => ofSnippet(snippet, given), onFailure: faulty })
  }
)

/** The text of each entry is looked for in the whole: among more servers than these that takes too long. */
const MOST_WITH_COMMENTS = 50

/** Only the lines from the first that begins with a brace to the last that ends with one. */
const withoutProse = (text: string): string => {
  const [start, end] = [text.search(/^[ \t]*\{/m), text.lastIndexOf("}")]
  return start < 0 ? text : text.slice(0, start).replace(/[^\r\n]/g, " ") + text.slice(start, end + 1)
}

/** With the quotes that word processors bend. */
const straight = (text: string): string => withoutProse(text).replace(/[“”„]/g, "\"").replace(/\u00A0/g, " ")

const ofSnippet = ({ notes, servers, shape }: Snippet.Snippet, text: string): Understood => {
  const isNative = shape === "native"
  const isFew = servers.length <= MOST_WITH_COMMENTS
  return {
    servers: servers.map(([name, entry]) => {
      const label = entry["name"]
      const own = name ?? (typeof label === "string" && label.trim() !== "" ? label : null)
      return [own, entry, isNative && isFew ? writtenIn(text, name) : null]
    }),
    shape: !isNative ? shape : servers.some(([name]) => name === null) ? "entry" : "mcpServers",
    notes
  }
}

/** The text of an entry where it stands in a snippet; null when it is not found there. */
const writtenIn = (text: string, name: string | null): string | null => {
  const key = name ?? "entry"
  const wrapped = name === null
    ? [`{"mcpServers":{"entry":${text}\n}}`, `{"mcpServers":{"entry":{${text}\n}}}`]
    : [text, `{${text}\n}`, `{"mcpServers":${text}\n}`, `{"mcpServers":{${text}\n}}`]
  const found = wrapped.flatMap((whole) =>
    Result.match(ConfigEditor.entryText(whole, key), { onSuccess: (entry) => [entry.text], onFailure: () => [] })
  )
  return found[0] ?? null
}

const fromOtherFile = Effect.fnUntraced(function*(text: string, format: ConfigText.Format, file: string) {
  const root = yield* ConfigText.parse(text, format)
  const around = yield* surroundings(file)
  return Result.mapBoth(
    Result.flatMap(root, (node) => {
      const shape = ConfigShape.detect(node)
      return Result.map(ConfigShape.find(node, shape, { ...around, isBare: false }), (found) => ({ found, shape }))
    }),
    {
      onFailure: faulty,
      onSuccess: ({ found, shape }): Understood => ({
        servers: found.servers.map(({ key, value }) => [key, objectOf(JsonNode.toValue(value)), null]),
        shape: shape === "native" ? "mcpServers" : shape,
        notes: found.notes.filter(({ matters }) => matters).map(({ detail, key }) => `${key}: ${detail}`)
      })
    }
  )
})

const objectOf = (value: Schema.Json): Schema.JsonObject => JsonObjectText.isObject(value) ? value : {}

const fromLink = Effect.fnUntraced(function*(text: string, file: string) {
  const link = InstallLink.read(text)
  if (link === null) return fromAddress(text)
  if (link._tag === "damaged") return problem(DAMAGED.message, DAMAGED.hint)
  if (link._tag === "published") return problem(...publishedWords(link.name))
  return Result.mapBoth(yield* fromJson(link.json, file), {
    onSuccess: (found): Understood => ({ ...found, shape: "link" }),
    onFailure: ({ message }): PasteProblem => ({ ...DAMAGED, message: `${DAMAGED.message}: ${message}` })
  })
})

/** The words about a link that was cut off or changed on its way. */
export const DAMAGED = {
  message: "this link is damaged",
  hint: "copy the whole link again, or paste what the page shows for mcp.json",
  ...{ line: null, column: null }
} satisfies PasteProblem

/** The words about a link to a server of the MCP registry. */
export const publishedWords = (name: string) =>
  [`this link names ${name} of the MCP registry`, `install it from there: boocode mcp install ${name}`] as const

const fromAddress = (url: string): Outcome => {
  const refused = EntryAdvice.addressRefusal(url)
  if (refused !== null) return problem(refused.message, refused.hint)
  return Result.succeed({ servers: [[null, CommandEntry.ofAddress(url), null]], shape: "url", notes: [] })
}

const MOST_COMMANDS = 100

const SHELL_HINT =
  "paste only the command that starts the server; a folder is \"cwd\" of the entry, and for a whole script write sh -c '…'"

const fromCommands = Effect.fnUntraced(
  function*(text: string, file: string): Effect.fn.Return<Outcome, never, ConfigFile.Needs> {
    const lines = ShellWords.split(text)
    if (Result.isFailure(lines)) {
      const { detail } = lines.failure
      return problem(detail, /quote/.test(detail) ? "close it" : SHELL_HINT, lines.failure)
    }
    const commands = joined(lines.success)
    if (commands.length > MOST_COMMANDS) return problem(`there are more than ${MOST_COMMANDS} commands in it`, HINT)
    const read = yield* Effect.forEach(commands, (words) => fromCommand(words, file))
    return Result.flatMap(Result.all(read), (all) => {
      const [first] = all
      if (first === undefined) return problem("there is no command in it", HINT)
      return Result.succeed({
        ...first,
        servers: all.flatMap(({ servers }) => servers),
        notes: all.flatMap(({ notes }) => notes)
      })
    })
  }
)

/** Lines that only set variables belong to the command after them. */
const joined = (lines: ReadonlyArray<ShellWords.Words>): ReadonlyArray<ShellWords.Words> => {
  const commands: Array<ShellWords.Words> = []
  let before: ReadonlyArray<string> = []
  for (const line of lines) {
    const words = line[0] === "export" ? line.slice(1) : line
    const [first, ...rest] = [...before, ...words]
    before = words.every((word) => CommandEntry.ASSIGNMENT.test(word)) ? [...before, ...words] : []
    if (before.length === 0 && first !== undefined) commands.push([first, ...rest])
  }
  return commands
}

const fromCommand = Effect.fnUntraced(
  function*(words: ShellWords.Words, file: string): Effect.fn.Return<Outcome, never, ConfigFile.Needs> {
    const added = AddCommand.read(words)
    if (Result.isFailure(added)) return problem(added.failure.message, added.failure.hint)
    if (added.success !== null) return yield* fromAdded(added.success, file)
    if (CommandEntry.isPackage(words)) {
      const entry = { command: "npx", args: ["-y", words[0]] }
      return Result.succeed({ servers: [[null, entry, null]], shape: "package", notes: [] })
    }
    const json = EDITOR.test(words[0]) && words[1] === "--add-mcp" ? words[2] : undefined
    if (json !== undefined) {
      return Result.map(yield* fromJson(json, file), (found): Understood => ({ ...found, shape: "link" }))
    }
    const entry = CommandEntry.ofCommand(words)
    if (entry === null) return problem("there is no command in it", HINT)
    if (isProse(words)) return problem("this is neither JSON nor a command nor an address", HINT)
    return Result.succeed({ servers: [[null, entry, null]], shape: "command", notes: [] })
  }
)

/** Command lines of VS Code and its relatives. */
const EDITOR = /^(?:code|code-insiders|codium|cursor|windsurf)$/

/** A sentence: words of letters alone, some of them with a comma or a dot behind, and none that a command would have. */
const isProse = (words: ShellWords.Words): boolean =>
  words.length > 3 && words.every((word) => /^[\p{L}'’-]+[.,:;!?]?$/u.test(word)) &&
  !words.some((word) => word.startsWith("-"))

const fromAdded = Effect.fnUntraced(
  function*(
    { application, entry, name }: AddCommand.Added,
    file: string
  ): Effect.fn.Return<Outcome, never, ConfigFile.Needs> {
    const shape = `${application}-command` as const
    if (typeof entry !== "string") return Result.succeed({ servers: [[name, entry, null]], shape, notes: [] })
    return Result.map(yield* fromJson(entry, file), ({ notes, servers }): Understood => ({
      servers: servers.map(([own, value, written]) => [servers.length === 1 ? name : own, value, written]),
      shape,
      notes
    }))
  }
)

/** Every server gets a name of its own. */
const withNames = (
  servers: ReadonlyArray<Named>
): ReadonlyArray<readonly [string, Schema.JsonObject, string | null]> => {
  const taken = new Set(servers.flatMap(([name]) => name ?? []))
  return servers.map(([name, entry, written]) => {
    if (name !== null) return [name, entry, written]
    const made = CommandEntry.nameOf(EntryAdvice.mend(entry).entry)
    const own = taken.has(made)
      ? Array.from(taken, (_, at) => `${made}-${at + 2}`).find((one) => !taken.has(one)) ?? made
      : made
    taken.add(own)
    return [own, entry, written]
  })
}

const finished = Effect.fnUntraced(
  function*(name: string, given: Schema.JsonObject, written: string | null, file: string) {
    const { entry, warnings } = EntryAdvice.mend(EntryAdvice.translate(given))
    const text = written === null
      ? JsonEdit.print(entry, "", JsonEdit.PLAIN, 1)
      : ConfigEditor.reconciled(written, entry)
    const judged = yield* judge(name, entry, file)
    return {
      name,
      entry,
      text,
      warnings: [...warnings, ...EntryAdvice.warnings(entry), ...judged.warnings],
      refused: EntryAdvice.refusal(entry) ?? judged.refused
    } satisfies PastedServer
  }
)

/** The verdict of the file's reader. */
const judge = Effect.fnUntraced(function*(name: string, entry: Schema.JsonObject, file: string) {
  const path = yield* Path.Path
  const text = JSON.stringify({ mcpServers: { [name]: entry } })
  const content = yield* ConfigFile.decode(path.join(path.dirname(file), "mcp.json"), text)
  const remarks = Result.isSuccess(content) ? content.success.entries.flatMap((one) => one.remarks) : []
  const { servers } = yield* ConfigFile.fromText({ path: file, name: "", scope: "data" }, text)
  const config = servers[0]?.config
  const failure = config !== undefined && Result.isFailure(config) ? config.failure : null
  const prefix = `mcpServers.${name}.`
  const short = (key: string) => key.startsWith(prefix) ? key.slice(prefix.length) : null
  const warnings = remarks.map(({ detail, key }): Advice => ({
    key: short(key),
    message: `${short(key) ?? name}: ${detail}`,
    hint: "leave it out, or write the key that was meant"
  }))
  if (failure?._tag === "VariableUnset") {
    // Each person gives theirs once the entry is there.
    if (failure.own !== null) return { warnings, refused: null }
    const message = `${short(failure.key) ?? name} needs the variable ${failure.variable}, which is not set`
    return { warnings: [...warnings, { key: short(failure.key), message, hint: failure.hint }], refused: null }
  }
  const refused = failure === null
    ? null
    : { message: `${short(failure.key) ?? name}: ${failure.detail}`, hint: failure.hint }
  return { warnings, refused }
})
