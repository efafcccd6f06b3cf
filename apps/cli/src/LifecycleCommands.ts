/** The verbs about the servers of a running server, and their flags. */
import type { LOG_LEVELS } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Change } from "./McpLifecycle.ts"
import { verb } from "./Root.ts"
import * as Target from "./Target.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The server"))

const changing = (change: Change, description: string) =>
  Command.make(
    change,
    { name, ...Target.remoteFlags },
    ({ name, ...given }) =>
      verb(
        () => import("./McpLifecycle.ts"),
        (module, options) => module.change(options, Target.target(given), change, name)
      )
  ).pipe(Command.withDescription(description))

const start = changing("start", "Start a server of the running server that is stopped or failed")
const stop = changing("stop", "Stop a server of the running server")
const restart = changing("restart", "Stop a server of the running server if it runs, then start it")

const refresh = Command.make(
  "refresh",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription("Only this server; without it every server that is ready"),
      Argument.optional
    ),
    ...Target.remoteFlags
  },
  ({ name, ...given }) =>
    verb(
      () => import("./McpLifecycle.ts"),
      (module, options) =>
        Option.match(name, {
          onNone: () => module.refreshAll(options, Target.target(given)),
          onSome: (name) => module.change(options, Target.target(given), "refresh", name)
        })
    )
).pipe(Command.withDescription("Have the running server list the tools of its servers again"))

const ping = Command.make(
  "ping",
  { name, ...Target.remoteFlags },
  ({ name, ...given }) =>
    verb(() => import("./McpPing.ts"), (module, options) => module.ping(options, Target.target(given), name))
).pipe(Command.withDescription("Ask a server of the running server whether it is there, and how long that takes"))

// Written out, because a verb's modules are loaded when it runs.
const LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency"
] as const satisfies typeof LOG_LEVELS

const count = (text: string): Option.Option<number> =>
  /^[1-9]\d{0,8}$/.test(text) ? Option.some(Number(text)) : Option.none()

const logs = Command.make(
  "logs",
  {
    name,
    lines: Flag.String("lines").pipe(
      Flag.withAlias("n"),
      Flag.withMetavar("N"),
      Flag.withDescription("At most so many lines, the last ones; 100 unless given"),
      Flag.filterMap(count, () => "a whole number from 1"),
      Flag.withDefault(100)
    ),
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDescription("Go on with what comes, until Ctrl-C"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    level: Flag.Literals("level", LEVELS).pipe(
      Flag.withDescription("Of the log messages of the server only those of this level and above"),
      Flag.optional
    ),
    ...Target.remoteFlags
  },
  ({ follow, level, lines, name, ...given }) =>
    verb(
      () => import("./McpLogs.ts"),
      (module, options) =>
        module.logs(options, Target.target(given), { name, lines, follow, level: Option.getOrNull(level) })
    )
).pipe(
  Command.withDescription(
    "Show what became of a server of the running server, what it wrote to standard error and its log messages"
  )
)

const logLevel = Command.make(
  "log-level",
  {
    name,
    level: Argument.Literals("LEVEL", [...LEVELS, "default"]).pipe(
      Argument.withDescription("From which level on it sends log messages; default is what its entry says")
    ),
    ...Target.remoteFlags
  },
  ({ level, name, ...given }) =>
    verb(
      () => import("./McpLogLevel.ts"),
      (module, options) => module.setLevel(options, Target.target(given), name, level === "default" ? null : level)
    )
).pipe(Command.withDescription("Choose which log messages a server of the running server sends, until it ends"))

export const controls = [start, stop, restart, refresh, ping, logs, logLevel] as const
