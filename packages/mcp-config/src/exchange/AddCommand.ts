/** The command lines by which other applications add a server: `claude mcp add …` and its likes. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Words } from "../text/ShellWords.ts"
import * as TimeText from "../text/TimeText.ts"
import * as CommandEntry from "./CommandEntry.ts"

export const APPLICATIONS = ["claude", "codex", "gemini", "boocode"] as const

export interface Added {
  readonly application: (typeof APPLICATIONS)[number]
  readonly name: string
  /** The entry, or the JSON that has it. */
  readonly entry: Schema.JsonObject | string
}

/** Why such a command line adds nothing. */
export interface AddFault {
  readonly message: string
  readonly hint: string
}

/** Reads such a command line; null for any other. Fails when it adds no server. */
export const read = (words: Words): Result.Result<Added | null, AddFault> => {
  const at = words.findIndex((word) => word === "mcp")
  const application = APPLICATIONS.find((name) => at > 0 && baseOf(words[at - 1]) === name)
  if (application === undefined) return Result.succeed(null)
  const [verb, ...rest] = words.slice(at + 1)
  if (verb === "add-json") {
    const [name, json] = rest.filter((word, index) =>
      !word.startsWith("-") && !/^(?:-s|--scope)$/.test(rest[index - 1] ?? "")
    )
    return name === undefined || json === undefined
      ? fail("the command has no name or no JSON", "write add-json NAME '{ … }'")
      : Result.succeed({ application, name, entry: json })
  }
  return verb === "add" ? added(application, rest) : fail(
    `"${application} mcp ${verb ?? ""}" adds no server`,
    "only the command with add is understood here; boocode mcp import brings in what an application has"
  )
}

const baseOf = (word: string | undefined): string => word?.split(/[/\\]/).at(-1)?.replace(/@.*$/, "") ?? ""

const fail = (message: string, hint: string): Result.Result<never, AddFault> => Result.fail({ message, hint })

/** The subject of an option; `flag` has no value, and the value of `ignored` does not count. */
type About =
  | ("env" | "headers" | "type" | "url" | "cwd" | "timeout" | "startupTimeout" | "bearer" | "include" | "exclude")
  | ("clientId" | "callbackPort" | "json" | "flag" | "ignored")

const OPTIONS: ReadonlyMap<string, About> = new Map([
  ...named("env", "-e", "--env"),
  ...named("headers", "-H", "--header"),
  ...named("type", "-t", "--transport", "--type"),
  ...named("ignored", "-s", "--scope", "--description", "-c", "--config", "--data"),
  ...named("flag", "--trust", "--disabled", "--force", "--json", "--client-secret", "--verbose"),
  ...named("url", "--url"),
  ...named("cwd", "--cwd"),
  ...named("timeout", "--timeout"),
  ...named("startupTimeout", "--startup-timeout"),
  ...named("bearer", "--bearer-token-env-var"),
  ...named("include", "--include-tools"),
  ...named("exclude", "--exclude-tools"),
  ...named("clientId", "--client-id"),
  ...named("callbackPort", "--callback-port"),
  ...named("json", "--from-json")
])

function named(about: About, ...options: ReadonlyArray<string>): ReadonlyArray<readonly [string, About]> {
  return options.map((option) => [option, about])
}

class Given {
  private readonly values = new Map<About, ReadonlyArray<string>>()
  /** The name, then the command or the address. */
  words: ReadonlyArray<string> = []

  add(about: About, value: string): void {
    this.values.set(about, [...this.all(about), value])
  }
  all(about: About): ReadonlyArray<string> {
    return this.values.get(about) ?? []
  }
  first(about: About): string | undefined {
    return this.all(about)[0]
  }
}

const added = (application: Added["application"], words: ReadonlyArray<string>): Result.Result<Added, AddFault> =>
  Result.flatMap(parsed(words), (given): Result.Result<Added, AddFault> => {
    const [name, ...command] = given.words
    if (name === undefined) {
      return fail("the command has no name for the server", "write add NAME, then the command or the address")
    }
    const fault = application === "boocode" ? timeFault(given) : null
    if (fault !== null) return fail(fault, "write the time with its unit, as in --timeout 30s")
    const entry = given.first("json") ?? entryOf(given, command)
    return entry === null
      ? fail(
        `the command says neither what to start for ${name} nor its address`,
        "write a command after --, or an address"
      )
      : Result.succeed({ application, name, entry })
  })

/** Why `boocode mcp add` would refuse the times of its own command. */
const timeFault = (given: Given): string | null => {
  for (const [about, option] of [["timeout", "--timeout"], ["startupTimeout", "--startup-timeout"]] as const) {
    const read = TimeText.read(given.first(about) ?? "1s")
    if (Result.isFailure(read)) return `${option} needs ${read.failure}`
  }
  return null
}

/** The look of several values of one option, for those options that take more than one. */
const MORE: ReadonlyMap<About, RegExp> = new Map([["env", CommandEntry.ASSIGNMENT], ["headers", /^[\w-]+:\s/]])

const parsed = (words: ReadonlyArray<string>): Result.Result<Given, AddFault> => {
  const given = new Given()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    const [, option = word, inline] = /^(--[\w-]+)=([^]*)$/.exec(word) ?? []
    const about = OPTIONS.get(option)
    // Behind a command everything is an argument of it; an address has none.
    const isRest = given.words.length >= 2 && (about === undefined || !isAddress(given.words[1]))
    if (word === "--" || isRest) {
      given.words = [...given.words, ...words.slice(word === "--" ? at + 1 : at)]
      return Result.succeed(given)
    }
    if (!word.startsWith("-")) given.words = [...given.words, word]
    else if (about === undefined) {
      return fail(`the option ${option} is not known`, "leave it out, or write the entry itself")
    } else if (about === "flag") given.add(about, option)
    else {
      given.add(about, inline ?? words[at += 1] ?? "")
      while (inline === undefined && MORE.get(about)?.test(words[at + 1] ?? "") === true) {
        given.add(about, words[at += 1] ?? "")
      }
    }
  }
  return Result.succeed(given)
}

const isAddress = (word: string | undefined): boolean => word !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(word)

const entryOf = (given: Given, command: ReadonlyArray<string>): Schema.JsonObject | null => {
  const url = given.first("url") ?? (isAddress(command[0]) ? command[0] : undefined)
  const entry = url === undefined ? stdio(given, command) : http(given, url)
  return entry === null ? null : { ...entry, ...settings(given) }
}

const stdio = (given: Given, command: ReadonlyArray<string>): Schema.JsonObject | null => {
  const [cwd, variables] = [given.first("cwd"), given.all("env").filter((word) => CommandEntry.ASSIGNMENT.test(word))]
  const entry = CommandEntry.ofCommand([...variables, ...command])
  return entry === null || cwd === undefined ? entry : { ...entry, cwd }
}

const http = (given: Given, url: string): Schema.JsonObject => {
  const [bearer, clientId, port, type] = [
    given.first("bearer"),
    given.first("clientId"),
    given.first("callbackPort"),
    given.first("type")
  ]
  const headers = Object.fromEntries([
    ...given.all("headers").flatMap((header) => {
      const [, name, value] = /^\s*([^:\s]+)\s*:\s*([^]*?)\s*$/.exec(header) ?? []
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    }),
    ...(bearer === undefined ? [] : [["Authorization", `Bearer \${${bearer}}`] as const])
  ])
  const oauth = {
    ...(clientId === undefined ? {} : { clientId }),
    ...(port === undefined ? {} : { callbackPort: Number(port) })
  }
  return {
    ...CommandEntry.ofAddress(url),
    ...(type === undefined || type === "stdio" ? {} : { type }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(oauth).length === 0 ? {} : { oauth })
  }
}

const settings = (given: Given): Schema.JsonObject => {
  const [start, timeout, include] = [
    given.first("startupTimeout"),
    given.first("timeout"),
    listed(given.all("include"))
  ]
  const tools = [...include, ...listed(given.all("exclude")).map((name) => `!${name}`)]
  return {
    ...(timeout === undefined ? {} : { timeout: timeOf(timeout) }),
    ...(start === undefined ? {} : { startupTimeout: timeOf(start) }),
    ...(tools.length === 0 ? {} : { tools: include.length === 0 ? ["*", ...tools] : tools }),
    ...(given.all("flag").includes("--disabled") ? { enabled: false } : {})
  }
}

const listed = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.flatMap((text) => text.split(",")).map((text) => text.trim()).filter((text) => text !== "")

/** Other applications take milliseconds as a number. */
const timeOf = (text: string): string | number =>
  /^\d+$/.test(text) ? Number(text) : Result.getOrElse(Result.map(TimeText.read(text), (time) => time.text), () => text)
