/** The verbs about the servers of a running server, and their flags. */
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
const refresh = changing("refresh", "Have the running server list the tools of a server again")

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
    ...Target.remoteFlags
  },
  ({ follow, lines, name, ...given }) =>
    verb(
      () => import("./McpLogs.ts"),
      (module, options) => module.logs(options, Target.target(given), { name, lines, follow })
    )
).pipe(
  Command.withDescription("Show what became of a server of the running server, and what it wrote to standard error")
)

export const controls = [start, stop, restart, refresh, logs] as const
