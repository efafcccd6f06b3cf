/** The verbs of `mcp` that decide about servers of project files and about tools that changed, and their flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { switched } from "./Flags.ts"
import { verb } from "./Root.ts"
import * as Target from "./Target.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The server"))

const once = switched(
  "once",
  "Only for as long as the running server runs; without one, approve is for this command alone"
)

const load = () => import("./McpTrust.ts")

const approve = Command.make(
  "approve",
  { name, once, dryRun: switched("dry-run", "Show what would be approved, and decide nothing"), ...Target.flags },
  ({ dryRun, name, once, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.decide(options, Target.target(given), { verb: "approve", name, once, isDryRun: dryRun })
    )
).pipe(
  Command.withDescription(
    "Let a server of a project file start, or accept the tools that changed since they were pinned"
  )
)

const reject = Command.make(
  "reject",
  { name, once, dryRun: switched("dry-run", "Show what would be rejected, and decide nothing"), ...Target.flags },
  ({ dryRun, name, once, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.decide(options, Target.target(given), { verb: "reject", name, once, isDryRun: dryRun })
    )
).pipe(Command.withDescription("Keep a server of a project file from starting"))

const revoke = Command.make(
  "revoke",
  { name, ...Target.flags },
  ({ name, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.decide(options, Target.target(given), { verb: "revoke", name, once: false, isDryRun: false })
    )
).pipe(Command.withDescription("Forget what was decided about a server of a project file"))

export const decisions = [approve, reject, revoke] as const
