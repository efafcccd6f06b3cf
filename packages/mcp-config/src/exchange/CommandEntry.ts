/** The entry that a command line or an address means, and a name for its server. */
import type * as Schema from "effect/Schema"
import type { Words } from "../text/ShellWords.ts"

/** `NAME=VALUE`, as it stands before a command. */
export const ASSIGNMENT = /^([A-Za-z_]\w*)=([^]*)$/

/** The entry of a command with its arguments; `NAME=VALUE` and `env` before it become `env`. Null for no command. */
export const ofCommand = (words: ReadonlyArray<string>): Schema.JsonObject | null => {
  const start = words[0] === "env" ? words.slice(1) : words
  const at = start.findIndex((word) => !ASSIGNMENT.test(word))
  const [command, ...args] = at < 0 ? [] : start.slice(at)
  const env = at < 0 ? [] : start.slice(0, at)
  if (command === undefined) return null
  return {
    command: home(command),
    ...(args.length === 0 ? {} : { args: args.map(home) }),
    ...(env.length === 0 ? {} : { env: assigned(env) })
  }
}

/** A shell fills in the tilde. */
const home = (word: string): string => word.replace(/^~(?=[/\\])/, "${HOME}")

export const assigned = (words: ReadonlyArray<string>): Schema.JsonObject =>
  Object.fromEntries(words.flatMap((word) => {
    const [, name, value] = ASSIGNMENT.exec(word) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  }))

/** The entry of an address. An address that ends with `/sse` is of the older transport. */
export const ofAddress = (url: string): Schema.JsonObject => ({
  type: /\/sse\/?(?:[?#]|$)/i.test(url) ? "sse" : "http",
  url
})

/** A package of npm that stands alone: everybody starts it with npx. */
export const isPackage = (words: Words): boolean =>
  words.length === 1 && /^@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*(?:@[\w.^~-]+)?$/i.test(words[0])

/** A name for the server of an entry: lower case letters, digits and dashes; `server` when nothing tells one. */
export const nameOf = ({ args, command, url }: Schema.JsonObject): string => {
  if (typeof url === "string") return fromHost(url)
  if (typeof command !== "string") return NAMELESS
  const texts = Array.isArray(args) ? args.filter((one: Schema.Json) => typeof one === "string") : []
  return fromProgram(baseOf(command), texts) ?? (tidy(baseOf(command)) || NAMELESS)
}

const NAMELESS = "server"

const fromHost = (url: string): string => {
  const { hostname = "", port = "" } = URL.parse(url.replace(/\$\{[^}]*\}/g, "x")) ?? {}
  if (/^(?:localhost|[\d.]+|\[.*\])$/.test(hostname)) return port === "" ? "local" : `local-${port}`
  const labels = hostname.split(".").slice(0, -1).filter((label) =>
    !/^(?:www|mcp|api|mcp-api|server|remote|app|co|com)$/.test(label)
  )
  return tidy(labels.at(-1) ?? hostname.split(".").at(-2) ?? "") || NAMELESS
}

const baseOf = (path: string): string => (path.split(/[/\\]/).at(-1) ?? path).replace(/\.(?:exe|cmd|bat|sh)$/i, "")

/** Programs that start what their arguments name, and their options that have a value. */
const LAUNCHERS: ReadonlyMap<string, RegExp> = new Map([
  ...["npx", "bunx", "pnpx", "dlx"].map((name) => [name, /^(?:--registry|--cache)$/] as const),
  ...["uvx", "uv", "pipx"].map((name) =>
    [name, /^(?:--with|--python|-p|--directory|--project|--index-url|--from)$/] as const
  ),
  ...["docker", "podman"].map((name) =>
    [
      name,
      /^(?:-[evpwu]|--(?:env|volume|mount|name|network|net|publish|workdir|user|pull|platform|entrypoint|env-file|add-host))$/
    ] as const
  ),
  ...[
    "node",
    "python",
    "python3",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "ruby",
    "php",
    "java",
    "dotnet",
    "cmd",
    "pnpm",
    "yarn",
    "npm"
  ]
    .map((name) => [name, /^(?:-r|--import|--require|--project|-X)$/] as const)
])

const VERBS = /^(?:run|tool|exec|dlx|x|\/c|--)$/

const fromProgram = (program: string, args: ReadonlyArray<string>): string | null => {
  const valued = LAUNCHERS.get(program.toLowerCase())
  if (valued === undefined) return null
  const named = args.find((arg, at) =>
    !arg.startsWith("-") && !VERBS.test(arg) && !valued.test(args[at - 1] ?? "") &&
    (!arg.startsWith("/") || /\.\w+$/.test(arg))
  )
  if (named === undefined) return null
  const address = BRIDGE.test(named) ? args.find((arg) => /^https?:/.test(arg)) : undefined
  if (address !== undefined) return fromHost(address)
  return LAUNCHERS.has(named) ? fromProgram(named, args.slice(args.indexOf(named) + 1)) : fromTarget(named)
}

/** Programs that talk to an address for applications that cannot. */
const BRIDGE = /^(?:mcp-remote|supergateway|mcp-proxy)(?:@.*)?$/

const fromTarget = (target: string): string | null => {
  const plain = target.replace(/^(?:github:|git\+)/, "").replace(/\.git(?:[@#].*)?$/, "").replace(
    /(?<=[^/@])(?:@|==|:)[\w.^~<>=-]*$/,
    ""
  )
  const steps = plain.split(/[/\\]/).filter((step) => step !== "" && step !== "." && step !== "..").reverse()
  const names = steps.map((step) => tidy(step.replace(/\.(?:m?[jt]s|cjs|py|rb|php|jar|dll)$/, "")))
  return names.find((name) =>
    name !== "" && !/^(?:mcp|server|index|main|dist|build|src|bin|out|lib|cli|app)$/.test(name)
  ) ?? null
}

/** Lower case letters, digits and dashes, without what every server is called. */
export const tidy = (name: string): string =>
  name.toLowerCase().replace(/^@/, "").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "")
    .replace(/^(?:mcp-server|server|mcp)-(?=.)/, "").replace(/(?<=.)-(?:mcp-server|server-mcp|server|mcp)$/, "").slice(
      0,
      40
    )
