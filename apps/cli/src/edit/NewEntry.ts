/** The entries that `mcp add` writes: from its flags, or from the JSON of a server's README. */
import { Snippet, type TimeText } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Failed, Usage } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

export interface Given {
  readonly name: string | null
  /** The command and its arguments; empty for none. */
  readonly command: ReadonlyArray<string>
  readonly url: string | null
  readonly type: string | null
  /** `NAME=VALUE` each. */
  readonly env: ReadonlyArray<string>
  /** `NAME: VALUE` each. */
  readonly headers: ReadonlyArray<string>
  readonly cwd: string | null
  readonly timeout: TimeText.Time | null
  readonly startupTimeout: TimeText.Time | null
  readonly isDisabled: boolean
  /** JSON, `-` for standard input, null for none. */
  readonly json: string | null
}

export type Entries = ReadonlyArray<readonly [name: string, entry: Schema.JsonObject]>

export interface Asked {
  readonly entries: Entries
  /** Keys of other applications in the JSON that have no place here, and what seems wrong with the entries. */
  readonly notes: ReadonlyArray<string>
}

/** Fails when the flags contradict each other. Does not read the JSON. */
export const check = (given: Given): Effect.Effect<void, Usage> =>
  Effect.fromResult(given.json === null && !isLink(given) ? Result.map(fromFlags(given), () => {}) : alone(given))

/** The link of an _Install_ button in the place of a name. */
const isLink = ({ json, name }: Given): boolean => json === null && name !== null && LINK.test(name)

const LINK = /^(?:vscode|vscode-insiders|cursor|lmstudio|goose):|^https?:\/\/\S*\/(?:install|install-mcp|redirect)\b/i

export const read = Effect.fnUntraced(function*(given: Given, folder: string, file: string) {
  const asked = isLink(given)
    ? yield* fromLink(given, file)
    : given.json === null
    ? { entries: yield* placed(yield* Effect.fromResult(fromFlags(given)), folder, file), notes: [] }
    : yield* fromJson(given, given.json, file)
  const { EntryAdvice } = yield* Effect.promise(() => import("@boocode/mcp-config/Exchange"))
  const refused = asked.entries.map(([, entry]) => EntryAdvice.refusal(entry)).find((one) => one !== null)
  if (refused !== undefined) {
    return yield* new Failed({
      tag: "InvalidEntry",
      message: refused.message,
      hint: `${refused.hint}; nothing was written`
    })
  }
  const mended = asked.entries.map(([name, entry]) => ({ name, ...EntryAdvice.mend(entry) }))
  const slips = mended.flatMap(({ entry, name, warnings }) =>
    [...warnings, ...EntryAdvice.warnings(entry)].map(({ hint, message }) => `${name}: ${message}; ${hint}`)
  )
  return {
    entries: mended.map(({ entry, name }) => [name, given.isDisabled ? disabled(entry) : entry] as const),
    notes: [...asked.notes, ...slips]
  } satisfies Asked
})

const usage = (message: string, hint: string): Result.Result<never, Usage> => Result.fail(new Usage({ message, hint }))

const disabled = ({ disabled: _, ...entry }: Schema.JsonObject): Schema.JsonObject => ({ ...entry, enabled: false })

/** Some write an address without `--url`; no program has such a name. */
const ADDRESS = /^https?:\/\//i

const EXAMPLES = "write NAME -- COMMAND ARGS..., NAME --url URL, or --from-json '{ … }'"

const fromFlags = (given: Given): Result.Result<Entries, Usage> => {
  const { command, name, url } = given
  if (name === null) return usage("there is no name for the server", EXAMPLES)
  if (url === null && command.length === 0) return usage("there is neither a command nor an address", EXAMPLES)
  if (url === null && ADDRESS.test(command[0] ?? "")) return usage("the command is an address", "write NAME --url URL")
  if (url !== null && command.length > 0) {
    return usage("a command and --url together", "a server is started or talked to: give one of the two")
  }
  return Result.map(url === null ? stdio(given) : http(given, url), (entry) => [[name, { ...entry, ...times(given) }]])
}

const stdio = ({ command: [command = "", ...args], cwd, env, headers, type }: Given) => {
  if (headers.length > 0) return usage("--header is for a server with --url", "a started server takes --env")
  return Result.map(pairs(env, "=", "--env needs NAME=VALUE"), (variables): Schema.JsonObject => ({
    ...(type === null ? {} : { type }),
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(env.length === 0 ? {} : { env: variables }),
    ...(cwd === null ? {} : { cwd })
  }))
}

const http = ({ cwd, env, headers, type }: Given, url: string) => {
  if (env.length > 0) return usage("--env is for a server that is started", "a server with --url takes --header")
  if (cwd !== null) return usage("--cwd is for a server that is started", "leave it out")
  return Result.map(pairs(headers, ":", "--header needs \"NAME: VALUE\""), (values): Schema.JsonObject => ({
    // Other applications that read the same file take an address without a type for a mistake.
    type: type ?? "http",
    url,
    ...(headers.length === 0 ? {} : { headers: values })
  }))
}

/** Messages leave out values: one without a name may be a secret. */
const pairs = (texts: ReadonlyArray<string>, separator: string, message: string) => {
  const split = texts.map((text) => {
    const at = text.indexOf(separator)
    return [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1)] as const
  })
  if (split.some(([name]) => name === "")) return usage(message, "write it in quotes; '${NAME}' is filled in later")
  return Result.succeed(
    Object.fromEntries(split.map(([name, value]) => [name, separator === ":" ? value.trim() : value]))
  )
}

const times = ({ startupTimeout, timeout }: Given): Schema.JsonObject => ({
  ...(startupTimeout === null ? {} : { startupTimeout: startupTimeout.text }),
  ...(timeout === null ? {} : { timeout: timeout.text })
})

const alone = (
  { command, cwd, env, headers, startupTimeout, timeout, type, url }: Given
): Result.Result<void, Usage> => {
  const flags = [url, cwd, type, timeout, startupTimeout].filter((flag) => flag !== null)
  if ([...flags, ...command, ...env, ...headers].length === 0) return Result.void
  return usage(
    "--from-json says all of the entry",
    "with it give no command, no --url, --type, --env, --header, --cwd and no timeouts"
  )
}

const fromJson = Effect.fnUntraced(function*({ name }: Given, json: string, file: string) {
  const text = json === "-" ? yield* Output.use((output) => output.input) : json
  const snippet = yield* Effect.mapError(
    Snippet.parse(text, file),
    ({ column, detail, line }) =>
      new Usage({
        message: `the JSON cannot be used, at line ${line}, column ${column}: ${detail}`,
        hint: "give an entry, servers by name, or { \"mcpServers\": { … } }"
      })
  )
  return { entries: yield* Effect.fromResult(named(snippet.servers, name)), notes: snippet.notes } satisfies Asked
})

const fromLink = Effect.fnUntraced(function*(given: Given, file: string) {
  const { InstallLink, PastedText } = yield* Effect.promise(() => import("@boocode/mcp-config/Exchange"))
  const link = InstallLink.read(given.name ?? "")
  if (link?._tag === "server") return yield* fromJson({ ...given, name: null }, link.json, file)
  const [message, hint] = link?._tag === "published"
    ? PastedText.publishedWords(link.name)
    : [PastedText.DAMAGED.message, PastedText.DAMAGED.hint]
  return yield* new Usage({ message, hint })
})

const named = (servers: Snippet.Snippet["servers"], name: string | null): Result.Result<Entries, Usage> => {
  const names = servers.flatMap(([key]) => key ?? [])
  if (name === null) {
    return names.length === servers.length
      ? Result.succeed(servers.map(([key, entry]) => [key ?? "", entry]))
      : usage("the JSON is one entry, and there is no name for it", "give the name before --from-json")
  }
  const meant = servers.find(([key]) => key === name) ?? (servers.length === 1 ? servers[0] : undefined)
  return meant === undefined
    ? usage(
      `the JSON has several servers, and none is called ${name}`,
      `leave the name out, or give one of ${names.join(", ")}`
    )
    : Result.succeed([[name, meant[1]]])
}

const placed = (entries: Entries, folder: string, file: string) =>
  Effect.forEach(
    entries,
    ([name, entry]) => Effect.map(located(entry, folder, file), (moved) => [name, moved] as const)
  )

/** Paths of the command line start at the current folder, those of an entry at the folder of its file: converts them. */
const located = Effect.fnUntraced(function*(entry: Schema.JsonObject, folder: string, file: string) {
  const path = yield* Path.Path
  const fromFile = (text: string): string => {
    const absolute = path.resolve(folder, text)
    const near = path.relative(path.dirname(file), absolute)
    const isOutside = /^\.\.(?:[/\\]|$)/.test(near) || path.isAbsolute(near)
    return isOutside ? absolute : `./${near.replaceAll("\\", "/")}`
  }
  const { command, cwd } = entry
  const isCwd = typeof cwd === "string" && !path.isAbsolute(cwd) && !/^[$~]/.test(cwd)
  const isCommand = typeof command === "string" && /^\.\.?[/\\]/.test(command)
  return {
    ...entry,
    // With a folder of its own to run in, only the whole path says where the program is.
    ...(isCommand ? { command: cwd === undefined ? fromFile(command) : path.resolve(folder, command) } : {}),
    ...(isCwd ? { cwd: fromFile(cwd) } : {})
  }
})
