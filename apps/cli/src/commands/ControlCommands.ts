/** The verbs about the servers of a running server, and their flags. */
import type { LOG_LEVELS } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Change } from "../mcp/McpLifecycle.ts"
import * as Options from "../options/Options.ts"
import { switched } from "../options/Options.ts"
import { verb } from "./Root.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The server"))

const changing = (change: Change, description: string) =>
  Command.make(
    change,
    { name, ...Options.remoteFlags },
    ({ name, ...given }) =>
      verb(
        () => import("../mcp/McpLifecycle.ts"),
        (module, options) => module.change(options, Options.target(given), change, name)
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
    ...Options.remoteFlags
  },
  ({ name, ...given }) =>
    verb(
      () => import("../mcp/McpLifecycle.ts"),
      (module, options) =>
        Option.match(name, {
          onNone: () => module.refreshAll(options, Options.target(given)),
          onSome: (name) => module.change(options, Options.target(given), "refresh", name)
        })
    )
).pipe(Command.withDescription("Have the running server list the tools of its servers again"))

const ping = Command.make(
  "ping",
  { name, ...Options.remoteFlags },
  ({ name, ...given }) =>
    verb(() => import("../mcp/McpLifecycle.ts"), (module, options) => module.ping(options, Options.target(given), name))
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
    ...Options.remoteFlags
  },
  ({ follow, level, lines, name, ...given }) =>
    verb(
      () => import("../mcp/McpLogs.ts"),
      (module, options) =>
        module.logs(options, Options.target(given), { name, lines, follow, level: Option.getOrNull(level) })
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
    ...Options.remoteFlags
  },
  ({ level, name, ...given }) =>
    verb(
      () => import("../mcp/McpLifecycle.ts"),
      (module, options) => module.setLevel(options, Options.target(given), name, level === "default" ? null : level)
    )
).pipe(Command.withDescription("Choose which log messages a server of the running server sends, until it ends"))

export const controls = [start, stop, restart, refresh, ping, logs, logLevel] as const

// The verbs of `mcp` that sign in to remote servers and out, and their flags.

const login = Command.make(
  "login",
  { name, noBrowser: switched("no-browser", "Print the address to open, and open none"), ...Options.targetFlags },
  ({ name, noBrowser, ...given }) =>
    verb(
      () => import("../mcp/McpLogin.ts"),
      (module, options) => module.login(options, Options.target(given), { name, opens: !noBrowser })
    )
).pipe(
  Command.withDescription("Sign in to a remote server that asks for it: in the browser, or by pasting what it ends at"),
  Command.withExamples([
    { command: "boocode mcp login NAME --no-browser", description: "On a machine without a browser" }
  ])
)

const logout = Command.make(
  "logout",
  { name, ...Options.targetFlags },
  ({ name, ...given }) =>
    verb(
      () => import("../mcp/McpLogin.ts"),
      (module, options) => module.logout(options, Options.target(given), name)
    )
).pipe(Command.withDescription("Sign out of a remote server, and forget its tokens"))

export const logins = [login, logout] as const

// The verbs of `mcp` that decide about servers of project files and about tools that changed, and their flags.

const once = switched(
  "once",
  "Only for as long as the running server runs; without one, approve is for this command alone"
)

const load = () => import("../mcp/McpTrust.ts")

const approve = Command.make(
  "approve",
  {
    name,
    once,
    dryRun: switched("dry-run", "Show what would be approved, and decide nothing"),
    ...Options.targetFlags
  },
  ({ dryRun, name, once, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.decide(options, Options.target(given), { verb: "approve", name, once, isDryRun: dryRun })
    )
).pipe(
  Command.withDescription(
    "Let a server of a project file start, or accept the tools that changed since they were pinned"
  )
)

const reject = Command.make(
  "reject",
  {
    name,
    once,
    dryRun: switched("dry-run", "Show what would be rejected, and decide nothing"),
    ...Options.targetFlags
  },
  ({ dryRun, name, once, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.decide(options, Options.target(given), { verb: "reject", name, once, isDryRun: dryRun })
    )
).pipe(Command.withDescription("Keep a server of a project file from starting"))

const revoke = Command.make(
  "revoke",
  { name, ...Options.targetFlags },
  ({ name, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.decide(options, Options.target(given), { verb: "revoke", name, once: false, isDryRun: false })
    )
).pipe(Command.withDescription("Forget what was decided about a server of a project file"))

export const decisions = [approve, reject, revoke] as const
