/** Advice about an entry before it is written: slips that are mended, guesses, and entries that can never work. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ShellWords from "../text/ShellWords.ts"

/** Something about one key of an entry. */
export interface Advice {
  readonly message: string
  readonly hint: string
  /** For instance `args[1]` or `env.TOKEN`; null for the whole entry. */
  readonly key: string | null
}

/** An entry whose command is one word, and what was changed for that. */
export interface Mended {
  readonly entry: Schema.JsonObject
  readonly warnings: ReadonlyArray<Advice>
}

/** Splits a command that is several words, unless it may be a path with spaces. */
export const mend = (entry: Schema.JsonObject): Mended => {
  const { command } = entry
  const words = typeof command === "string" ? wordsOf(command) : null
  if (words === null) return { entry, warnings: [] }
  const [program, ...more] = words
  const args = [...more, ...textsOf(entry["args"])]
  const split = Object.fromEntries(
    Object.entries({ ...entry, args }).map(([key, value]) => [key, key === "command" ? program : value])
  )
  const message = `"command" was ${words.length} words; it is the program ${program} with arguments now`
  const hint = "the program stands in \"command\", everything else in \"args\""
  return { entry: inOrder(entry, split), warnings: [{ key: "command", message, hint }] }
}

/** New arguments stand behind the command. */
const inOrder = (before: Schema.JsonObject, after: Schema.JsonObject): Schema.JsonObject => {
  if (before["args"] !== undefined) return after
  const { args = [], ...rest } = after
  return Object.fromEntries(
    Object.entries(rest).flatMap((member) => member[0] === "command" ? [member, ["args", args]] : [member])
  )
}

const wordsOf = (command: string): ShellWords.Words | null => {
  const [line, ...more] = Result.getOrElse(ShellWords.split(command), () => [])
  const isLine = line !== undefined && more.length === 0 && line.length > 1 && !/[/\\]/.test(line[0])
  return isLine ? line : null
}

/** Turns `${env:NAME}`, as Cursor and VS Code write it, into `${NAME}`. */
export const translate = (entry: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, translated(value)]))

const translated = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return value.replace(/\$\{env:([A-Za-z_]\w*)\}/g, "${$1}")
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map((item: Schema.Json) => translated(item))
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, translated(inner)]))
}

/** Everything that seems wrong with an entry and may still work. Values are not repeated: they may be secrets. */
export const warnings = (entry: Schema.JsonObject): ReadonlyArray<Advice> => {
  const { command } = entry
  const args = textsOf(entry["args"])
  return [
    ...args.flatMap((arg, at) => aboutArgument(arg.slice(0, LOOKED_AT), at, args[at - 1] ?? "")),
    ...(typeof command === "string" ? aboutProgram(command, args) : []),
    ...placeholders(entry)
  ]
}

const aboutArgument = (arg: string, at: number, before: string): ReadonlyArray<Advice> => {
  const key = `args[${at}]`
  const [, option] = /^(--?[A-Za-z][\w-]*)[ \t]+\S/.exec(arg) ?? []
  if (option !== undefined) {
    return [{
      key,
      message: `${key} is two arguments in one: ${option} and what follows it`,
      hint: `write "${option}" and what follows it as two texts`
    }]
  }
  const isScript = /^-(?:c|e|lc|Command)$/.test(before)
  if (!isScript && /^\S+(?:[ \t]+\S+)*[ \t]+--?[A-Za-z][\w-]*(?:[ \t]|$)/.test(arg)) {
    return [{ key, message: `${key} is several arguments in one`, hint: "write each word as a text of its own" }]
  }
  return /^~[/\\]/.test(arg)
    ? [{ key, message: `${key} begins with ~, which only a shell fills in`, hint: "write ${HOME} instead of ~" }]
    : []
}

const aboutProgram = (command: string, args: ReadonlyArray<string>): ReadonlyArray<Advice> => {
  if (command === "sudo") {
    const hint = "leave sudo out, or start the server in another way"
    return [{ key: "command", message: "sudo asks for a password, and nobody answers it", hint }]
  }
  if (!/(?:^|[/\\])(?:docker|podman)$/.test(command) || args[0] !== "run") return []
  const options = args.slice(1, args.findIndex((arg, at) => at > 0 && !arg.startsWith("-") && !isValue(args[at - 1])))
  const short = options.filter((one) => /^-[a-z]+$/.test(one)).join("")
  return [
    ...(short.includes("i") || options.includes("--interactive") ? [] : [{
      key: "args",
      message: `${command} run without -i gives the server no input`,
      hint: "add \"-i\" after \"run\""
    }]),
    ...(short.includes("t") || options.includes("--tty") ?
      [{
        key: "args",
        message: `${command} run with -t needs a terminal, and there is none`,
        hint: "leave the t out: \"-i\""
      }] :
      [])
  ]
}

const isValue = (before: string | undefined): boolean =>
  before !== undefined &&
  /^(?:-[evpwu]|--(?:env|volume|mount|name|network|publish|workdir|user|pull|platform|entrypoint|env-file|add-host))$/
    .test(before)

/** The placeholders of READMEs, where a person puts something of their own. */
const PLACEHOLDER = new RegExp(
  [
    "<[A-Za-z][^<>]*>",
    "\\byour[-_ ]?[\\w-]*?(?:key|token|secret|id|name|pass\\w*|url|host|path|dir\\w*|file|project|org\\w*|account|user\\w*|domain|email|value|here)\\b",
    "\\bx{4,}\\b",
    "(?:^|/)path/to/",
    "\\breplace[-_ ]?(?:me|with)\\b",
    "\\bchange[-_ ]?me\\b",
    "[-_]here$",
    "^(?:sk-|ghp_)?(?:\\.\\.\\.|…)$"
  ].join("|"),
  "i"
)

/** So many characters of a value are looked at. */
const LOOKED_AT = 1000

const placeholders = (entry: Schema.JsonObject): ReadonlyArray<Advice> =>
  textsIn(entry, "").flatMap(([key, text]) =>
    PLACEHOLDER.test(text.slice(0, LOOKED_AT).replace(/\$\{[^}]*\}/g, ""))
      ? [{
        key,
        message: `${key} still has what its README writes in place of your own`,
        hint: /^(?:env|headers)\./.test(key) ? `write the value, or \${${nameFor(key)}}` : "write your own"
      }]
      : []
  )

const nameFor = (key: string): string =>
  key.replace(/^\w+\./, "").toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^(?=\d)/, "_")

const textsIn = (value: Schema.Json, key: string): ReadonlyArray<readonly [string, string]> => {
  if (typeof value === "string") return [[key, value]]
  if (typeof value !== "object" || value === null) return []
  return Array.isArray(value)
    ? value.flatMap((item: Schema.Json, at) => textsIn(item, `${key}[${at}]`))
    : Object.entries(value).flatMap(([name, inner]) =>
      key === "" && /^(?:description|name|title|_.*|\/\/.*)$/.test(name)
        ? []
        : textsIn(inner, key === "" ? name : `${key}.${name}`)
    )
}

/** Why an entry can never work; null for one that may. */
export const refusal = (entry: Schema.JsonObject): Omit<Advice, "key"> | null => {
  const { command, url } = entry
  const args = textsOf(entry["args"])
  if (typeof command === "string") return programRefusal(command.trim(), args)
  return typeof url === "string" ? addressRefusal(url.trim()) : null
}

/** The operators that only a shell knows. */
const OPERATOR = /^(?:&&|\|\|?|;|>>?|<|2>&1|&)$/

const SHELL = "there is no shell between: write \"command\": \"sh\" with \"args\": [\"-c\", \"…\"]"

const programRefusal = (command: string, args: ReadonlyArray<string>): Omit<Advice, "key"> | null => {
  const line = `${command} ${args.join(" ")}`
  if (/&&|\|\||[|;<>`]|\$\(/.test(command) || args.some((arg) => OPERATOR.test(arg))) {
    return { message: "the command needs a shell", hint: SHELL }
  }
  if (/^(?:cd|export|source|alias)$/.test(command)) {
    return {
      message: `${command} is a word of a shell, no program`,
      hint: "write a folder as \"cwd\", a variable as \"env\""
    }
  }
  return INSTALLS.some((pattern) => pattern.test(line))
    ? {
      message: "this command installs something; it starts no server",
      hint: "run it in a terminal, then paste what its README shows for mcp.json"
    }
    : null
}

const INSTALLS = [
  /^(?:npm|pnpm|yarn|bun) (?:i|install|add|ci) /,
  /^(?:pip3?|pipx|brew|apt|apt-get|cargo|go|gem|conda|uv pip|uv tool|dotnet tool|winget|choco|scoop) install /,
  /^(?:docker|podman) (?:pull|build) /,
  /^(?:git clone|wget|curl|make) ?/,
  /^(?:npx|bunx|pnpx|uvx) .*(?:@smithery\/cli\S*|install-mcp\S*|mcp-get\S*|add-mcp\S*) (?:install|add|https?:)/,
  /^(?:npx|bunx|pnpx|uvx) \S.* install --client/
]

/** Why an address can be no server's. */
export const addressRefusal = (url: string): Omit<Advice, "key"> | null => {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(url) ?? []
  if (scheme !== undefined && !/^https?$/i.test(scheme) && !/^localhost$/i.test(scheme)) {
    return {
      message: `${scheme}: is not a way to talk to a server here`,
      hint: "an address begins with https:// or http://; a program is started by its command"
    }
  }
  return PAGES.test(url)
    ? { message: "this is a page about a server, not its address", hint: "paste what the page shows for mcp.json" }
    : null
}

const PAGES =
  /^https?:\/\/(?:www\.)?(?:(?:github\.com|gitlab\.com|bitbucket\.org|npmjs\.com|pypi\.org|hub\.docker\.com|smithery\.ai|glama\.ai|mcp\.so|pulsemcp\.com)(?:\/|$)(?!.*\/(?:mcp|sse)\/?$))/i

const textsOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item: Schema.Json) => typeof item === "string") : []
