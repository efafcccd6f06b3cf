/** A guide to each key of an entry: what it takes and what it is for, for forms. */
import type * as EntryKeys from "../model/EntryKeys.ts"
import { LOG_LEVELS } from "../model/ServerConfig.ts"

/** The kinds of values: `texts` is a list, `map` texts by name, `duration` milliseconds or a text such as "30 seconds". */
export const TYPES = ["text", "texts", "map", "flag", "count", "duration", "choice", "object"] as const

/** One key of an entry. */
export interface KeyHelp {
  readonly key: string
  readonly type: (typeof TYPES)[number]
  readonly about: string
  /** The values of a choice; null for any other type. */
  readonly choices: ReadonlyArray<string> | null
  /** The servers that have it; null for all. */
  readonly transport: "stdio" | "http" | null
}

type Row = readonly [type: KeyHelp["type"], about: string, choices?: ReadonlyArray<string>]
type Keys = keyof typeof EntryKeys.STDIO | keyof typeof EntryKeys.HTTP | keyof typeof EntryKeys.GENERAL

const STDIO: Readonly<Record<keyof typeof EntryKeys.STDIO, Row>> = {
  command: ["text", "the program to start"],
  args: ["texts", "its arguments, one a text"],
  env: [
    "map",
    "variables for the program; ${NAME} takes a value from the environment or .env, ${user:NAME} each person's"
  ],
  cwd: ["text", "the folder it runs in; by default that of the file"],
  inheritEnv: ["texts", "names of further variables of this machine that it gets"],
  envFile: ["text", "a file with variables for it"]
}

const HTTP: Readonly<Record<keyof typeof EntryKeys.HTTP, Row>> = {
  url: ["text", "the address, http:// or https://"],
  headers: [
    "map",
    "headers of each request; ${NAME} takes a value from the environment or .env, ${user:NAME} each person's"
  ],
  headersHelper: ["text", "a command whose output gives further headers"],
  oauth: ["object", "how to sign in, where the server does not say all of it; false is never"],
  publicOnly: ["flag", "true: it may not lead to private addresses"]
}

const GENERAL: Readonly<Record<keyof typeof EntryKeys.GENERAL, Row>> = {
  type: ["choice", "the transport; by default the command or the address decides", ["stdio", "streamableHttp", "sse"]],
  enabled: ["flag", "false keeps the entry without using it"],
  disabled: ["flag", "true keeps the entry without using it; \"enabled\" is the usual key"],
  from: ["text", "the published server that it was installed from, with its version; boocode mcp upgrade changes it"]
}

const OPTIONS: Readonly<Record<keyof typeof EntryKeys.OPTIONS, Row>> = {
  startupTimeout: [
    "duration",
    "how long the start may take; 30 seconds by default, 3 minutes for a first start by npx or the like"
  ],
  timeout: ["duration", "how long a call may be silent; 60 seconds by default"],
  maxTotalTimeout: ["duration", "how long a call may take in all; 10 minutes by default"],
  maxConcurrency: ["count", "how many calls run at once; no limit by default"],
  maxMessageBytes: ["count", "the bytes of one message; 16 MiB by default"],
  maxResultBytes: ["count", "the bytes of one result that are kept; 5,000,000 by default"],
  restart: ["choice", "whether it is started again after it ended by itself", ["never", "on-failure"]],
  results: ["choice", "which part of a result models read", ["content", "structured"]],
  retry: ["choice", "whether a call is sent again when its outcome is unknown", ["never", "idempotent"]],
  ping: ["duration", "how often it is asked whether it is there; never by default"],
  tools: ["texts", "patterns of tools that there are; all by default, \"!name\" leaves one out"],
  alwaysLoad: ["texts", "patterns of tools that models see without a search; true is all"],
  ask: ["texts", "patterns of tools whose calls need a person's yes"],
  writes: ["choice", "ask offers its writing tools, each call with a person's yes; off keeps them off", ["off", "ask"]],
  for: ["texts", "who sees the server: admins, group:NAME or names of people; by default everyone"],
  trustAnnotations: ["flag", "false: every tool counts as one that writes, whatever it says of itself"],
  classes: ["map", "what tools do, by name: reads, undeclared, writes or destroys"],
  targets: ["object", "how to see what a writing tool would replace, by its name"],
  instructions: ["flag", "false keeps models from reading what the server says of itself"],
  logLevel: ["choice", "from which level on its log messages are wanted", LOG_LEVELS],
  protocol: ["choice", "the revision of MCP", ["auto", "legacy", "2026-07-28"]],
  lazy: ["flag", "true starts it with its first call"],
  idleTtl: ["duration", "it is put to sleep after so long without a call; never by default"],
  maxInstances: ["count", "of a personal entry: how many people's servers run at once; 20 by default"],
  session: ["choice", "client gives each client of the gateway a server of its own", ["shared", "client"]],
  pin: ["choice", "what happens when its tools change", ["block", "warn", "off"]],
  roots: ["texts", "the folders that it is told it may work in; by default the workspace"]
}

const helpOf = (
  rows: Readonly<Partial<Record<Keys | keyof typeof EntryKeys.OPTIONS, Row>>>,
  transport: KeyHelp["transport"]
) =>
  Object.entries(rows).map(([key, [type, about, choices = null]]): KeyHelp => ({
    key,
    type,
    about,
    choices,
    transport
  }))

/** Every key of an entry, in the order in which entries are written. */
export const KEYS: ReadonlyArray<KeyHelp> = [
  ...helpOf({ type: GENERAL.type }, null),
  ...helpOf(STDIO, "stdio"),
  ...helpOf(HTTP, "http"),
  ...helpOf(OPTIONS, null),
  ...helpOf({ enabled: GENERAL.enabled, disabled: GENERAL.disabled, from: GENERAL.from }, null)
]
