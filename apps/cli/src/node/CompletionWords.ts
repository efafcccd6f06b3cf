/**
 * The possible names for the word under the cursor: of a server, a tool, an agent, a chat or a program. Reads the files
 * of the data folder and starts nothing. It loads little but Node, because a person waits for the Tab key.
 */
import * as DataPlaces from "@boocode/chat-server/DataPlaces"
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"

type Variables = DataPlaces.Variables
type Kind = "servers" | "tools" | "agents" | "chats" | "clients" | "programs" | "profiles" | "knownClients"

/** The verbs whose first argument is a name. */
const VERBS: ReadonlyArray<readonly [RegExp, Kind]> = [
  [
    /^mcp (doctor|get|tools|prompts?|resources|read|remove|enable|disable|writes|approve|reject|revoke|upgrade)$/,
    "servers"
  ],
  [/^mcp (start|stop|restart|refresh|login|logout|logs|log-level|ping)$/, "servers"],
  [/^mcp clients (remove|end)$/, "knownClients"],
  [/^(mcp call|permissions explain)$/, "tools"],
  [/^run$/, "programs"],
  [/^(connect|disconnect)$/, "clients"],
  [/^chats (show|export|delete|fork|pin|unpin|folder|off)$/, "chats"]
]

const FLAGS: Readonly<Record<string, Kind>> = { "--agent": "agents", "--chat": "chats", "--profile": "profiles" }

/** Flags that take the next word. */
const WITH_VALUE =
  /^--(data|config|url|token|agent|chat|model|limit|timeout|args|file|image|allow|match|schema|scope|level|log-level|profile)$/

const MOST = 200

/** The words behind `boocode`, the last of them under the cursor. Empty where nothing of it is a name. */
export const candidates = (
  words: ReadonlyArray<string>,
  variables: Variables,
  platform: string
): ReadonlyArray<string> => {
  const current = words.at(-1) ?? ""
  const kind = kindOf(words.slice(0, -1), current)
  if (kind === null) return []
  const places = placesOf(words, variables, platform)
  const found = [...new Set(NAMES[kind](places))].filter((name) => name.startsWith(current) && /^[\w.@-]+$/.test(name))
  return kind === "chats" ? found.slice(0, MOST) : found.sort().slice(0, MOST)
}

const kindOf = (before: ReadonlyArray<string>, current: string): Kind | null => {
  const flag = FLAGS[before.at(-1) ?? ""]
  if (flag !== undefined) return flag
  if (current.startsWith("-") || WITH_VALUE.test(before.at(-1) ?? "")) return null
  const plain = before.filter((word, at) => !word.startsWith("-") && !WITH_VALUE.test(before[at - 1] ?? ""))
  return VERBS.find(([verb]) => verb.test(plain.join(" ")))?.[1] ?? null
}

interface Places {
  /** The folder that the person is in. */
  readonly current: string
  readonly file: string
  readonly folder: string
  readonly state: string
}

const placesOf = (words: ReadonlyArray<string>, variables: Variables, platform: string): Places => {
  const valueOf = (name: string) => words.includes(name) ? words[words.indexOf(name) + 1] ?? null : null
  const config = valueOf("--config")
  const named = DataPlaces.namedFile(valueOf("--data"), variables) ??
    join(standardFolder(variables, platform), "mcp.json")
  return {
    current: DataPlaces.fromPerson(variables, "."),
    file: config === null ? named : DataPlaces.fromPerson(variables, config),
    folder: dirname(named),
    state: DataPlaces.stateFolder(variables, platform) ?? ""
  }
}

const standardFolder = (variables: Variables, platform: string): string =>
  DataPlaces.STANDARD.find(({ folder, orWritable }) =>
    existsSync(join(folder, "mcp.json")) || orWritable && isWritable(folder)
  )?.folder ?? DataPlaces.userFolder("data", variables, platform) ?? ""

const isWritable = (folder: string): boolean => orNone(() => [accessSync(folder, constants.W_OK)]).length > 0

/** Nothing for what is not there or cannot be read: a Tab key has no place for an error. */
const orNone = <A>(read: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  // oxlint-disable-next-line house/no-try -- Node's files and JSON say no by throwing
  try {
    return read()
  } catch {
    return []
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const json = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))

interface Pinned {
  readonly server: string
  readonly tools: ReadonlyArray<string>
}

/** The tools that each server had when it was ready last, from the pins beside its file and in the state folder. */
const pinned = ({ file, state }: Places): ReadonlyArray<Pinned> => {
  const folder = join(state, "pins")
  const files = [
    `${file.replace(/\.jsonc?$/, "")}.lock.json`,
    ...orNone(() => readdirSync(folder)).map((name) => join(folder, name))
  ]
  return files.flatMap((one) => orNone(() => pinsIn(json(one))))
}

const textOf = (value: unknown, key: string): string => {
  const found: unknown = isObject(value) ? Reflect.get(value, key) : undefined
  return typeof found === "string" ? found : ""
}

const listOf = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found: unknown = isObject(value) ? Reflect.get(value, key) : undefined
  return Array.isArray(found) ? found : []
}

const listed = (content: unknown): ReadonlyArray<unknown> => Array.isArray(content) ? content : []

const pinsIn = (content: unknown): ReadonlyArray<Pinned> =>
  listOf(content, "servers").map((one) => ({
    server: textOf(one, "server"),
    tools: listOf(one, "tools").map((tool) => textOf(tool, "name"))
  }))

/** The keys of the list of servers, also where the file has comments, which JSON has not. */
const declared = (text: string): ReadonlyArray<string> => {
  const servers = orNone(() => {
    const content: unknown = JSON.parse(text)
    const found: unknown = isObject(content) ? Reflect.get(content, "mcpServers") : undefined
    return isObject(found) ? Object.keys(found) : []
  })
  return servers.length > 0
    ? servers
    : [...text.matchAll(/^\s*"([\w.@-]+)"\s*:\s*\{\s*(?:\/\/.*)?$/gm)].map(([, name = ""]) => name)
}

const nameLines = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^name:\s*["']?([^"'\n]+?)["']?\s*$/gm)].map(([, name = ""]) => name)

/** Those of `gateway.jsonc`, also where the file has comments, and the one that is always there. */
const profiles = (text: string): ReadonlyArray<string> => [
  "default",
  ...[...text.matchAll(/"([\w-]+)"\s*:\s*\{(?=\s*(?:\}|"(?:tools|exposure|names|write|maxResultBytes)"))/g)].map((
    [, name = ""]
  ) => name)
]

const NAMES: Readonly<Record<Kind, (places: Places) => ReadonlyArray<string>>> = {
  servers: (places) => [
    ...orNone(() => declared(readFileSync(places.file, "utf8"))).filter((name) => name !== "mcpServers"),
    ...pinned(places).map(({ server }) => server)
  ],
  tools: (places) => pinned(places).flatMap(({ server, tools }) => tools.map((tool) => `${server}_${tool}`)),
  agents: ({ folder }) => [
    ...orNone(() => nameLines(readFileSync(join(folder, "AGENTS.md"), "utf8"))),
    ...orNone(() => readdirSync(join(folder, "agents"))).filter((name) => /^[^.].*\.md$/i.test(name)).flatMap((name) =>
      orNone(() => {
        const [own = name.replace(/\.md$/i, "")] = nameLines(readFileSync(join(folder, "agents", name), "utf8"))
        return [own]
      })
    )
  ],
  programs: ({ current }) => orNone(() => readdirSync(current)).filter((name) => /^[^.].*\.[cm]?[jt]s$/.test(name)),
  // As `Clients` has them, which takes long to load.
  clients: () => "claude-code claude-desktop cursor vscode codex gemini windsurf opencode zed goose".split(" "),
  knownClients: ({ state }) =>
    orNone(() => listed(json(join(state, "mcp-clients.json"))).map((one) => textOf(one, "name"))),
  profiles: ({ folder }) => profiles(orNone(() => [readFileSync(join(folder, "gateway.jsonc"), "utf8")]).join("")),
  chats: ({ state }) =>
    orNone(() => {
      const database = new DatabaseSync(join(state, "chats.sqlite"), { readOnly: true, timeout: 100 })
      const rows = database.prepare("SELECT id FROM chats ORDER BY updated_at DESC LIMIT ?").all(MOST)
      database.close()
      return rows.map(({ id }) => String(id))
    })
}
