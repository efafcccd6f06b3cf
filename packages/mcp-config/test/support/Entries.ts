/** Native entries of every kind, made at random. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const maybe = Schema.optionalKey

const PIECES = [
  ...["a", "B9", " ", "/", "\\", "\"", "'", "$", "$$", "{", "}", ":", ": ", "-", "#", " #", "=", "é", "😀", "\n", "\t"],
  ...["%", "@", "*", "&", "!", "|", ">", "~", "yes", "null", "123", "$A", "{env:A}", "${env:A}", "{file:a}", "\u0001"],
  ...["${A}", "${B_2}", "${C:-}", "${D:-d e}", "${E:-${F:-x}}", "$${", "$${A}", "${workspaceFolder}", "${input:a}"]
] as const

const Text = Schema.Array(Schema.Literals(PIECES)).check(Schema.isMaxLength(5))

const Name = Schema.Literals(["A", "TOKEN", "x", "X-Key", "Authorization", "__proto__", "B_2", "constructor"])

const Values = Schema.Array(
  Schema.Struct({ name: Name, text: Text, isVariable: Schema.Boolean, isBearer: Schema.Boolean })
)
  .check(Schema.isMaxLength(3))

const Millis = Schema.Literals([1, 5, 999, 1000, 1001, 1500, 30_000, 60_000, 123_457, 3_600_000, 9_999_999])

const Pattern = Schema.Literals(["*", "!*", "a", "!a", "b_c", "!b_c", "d-*", "!d-*"])

const Patterns = Schema.Array(Pattern).check(Schema.isMaxLength(4))

const Options = Schema.Struct({
  startupTimeout: maybe(Millis),
  timeout: maybe(Millis),
  isOneTime: Schema.Boolean,
  maxTotalTimeout: maybe(Millis),
  maxConcurrency: maybe(Schema.Literals([1, 7])),
  results: maybe(Schema.Literals(["content", "structured"])),
  restart: maybe(Schema.Literals(["never", "on-failure"])),
  tools: maybe(Patterns),
  ask: maybe(Patterns),
  alwaysLoad: maybe(Schema.Boolean),
  instructions: maybe(Schema.Boolean),
  protocol: maybe(Schema.Literals(["auto", "legacy"])),
  pin: maybe(Schema.Literals(["block", "off"])),
  logLevel: maybe(Schema.Literals(["debug", "emergency"])),
  roots: maybe(Schema.Union([Schema.Boolean, Schema.Array(Text).check(Schema.isMaxLength(2))])),
  enabled: maybe(Schema.Boolean)
})

const Entry = Schema.Struct({
  isStdio: Schema.Boolean,
  type: Schema.Literals(["streamableHttp", "sse"]),
  main: Text,
  args: Schema.Array(Text).check(Schema.isMaxLength(3)),
  values: Values,
  cwd: maybe(Text),
  envFile: maybe(Text),
  inheritEnv: maybe(Schema.Array(Schema.Literals(["GOPATH", "LANG_X"]))),
  headersHelper: maybe(Text),
  options: Options
})

const ServerName = Schema.Literals([
  "files",
  "my-server",
  "two words",
  "a.b",
  "servers",
  "timeout",
  "__proto__",
  "8080"
])

/** A map of native servers as a program has it. */
export const Servers = Arbitrary.map(
  Arbitrary.schema(Schema.Array(Schema.Struct({ name: ServerName, entry: Entry })).check(Schema.isMaxLength(3))),
  (servers) => Object.fromEntries(servers.map(({ entry, name }) => [name, native(entry)]))
)

const native = (entry: typeof Entry.Type) => ({
  ...(entry.isStdio ? stdio(entry) : http(entry)),
  ...options(entry.options)
})

const filled = (pieces: typeof Text.Type): string => `x${pieces.join("")}`

const stdio = (entry: typeof Entry.Type) => ({
  command: filled(entry.main),
  args: entry.args.map((arg) => arg.join("")),
  env: values(entry.values, (name) => name),
  ...(entry.cwd === undefined ? {} : { cwd: filled(entry.cwd) }),
  ...(entry.envFile === undefined ? {} : { envFile: filled(entry.envFile) }),
  ...(entry.inheritEnv === undefined ? {} : { inheritEnv: [...new Set(entry.inheritEnv)] })
})

const http = (entry: typeof Entry.Type) => ({
  ...(entry.type === "sse" ? { type: "sse" } : {}),
  url: `https://x.example/${entry.main.join("")}z`,
  headers: values(entry.values, () => "TOKEN_2"),
  ...(entry.headersHelper === undefined ? {} : { headersHelper: filled(entry.headersHelper) })
})

const values = (all: typeof Values.Type, variable: (name: string) => string) =>
  Object.fromEntries(all.map(({ isBearer, isVariable, name, text }) => {
    const value = isVariable ? `\${${variable(name).replace("-", "_")}}` : text.join("")
    return [name, isBearer ? `Bearer ${value}` : value]
  }))

const options = ({ isOneTime, ...all }: typeof Options.Type) =>
  isOneTime && all.timeout !== undefined ? { ...all, startupTimeout: all.timeout } : all
