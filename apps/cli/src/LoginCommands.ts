/** The verbs of `mcp` that sign in to remote servers and out, and their flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { switched } from "./Flags.ts"
import { verb } from "./Root.ts"
import * as Target from "./Target.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The server"))

const login = Command.make(
  "login",
  { name, noBrowser: switched("no-browser", "Print the address to open, and open none"), ...Target.flags },
  ({ name, noBrowser, ...given }) =>
    verb(
      () => import("./McpLogin.ts"),
      (module, options) => module.login(options, Target.target(given), { name, opens: !noBrowser })
    )
).pipe(
  Command.withDescription("Sign in to a remote server that asks for it: in the browser, or by pasting what it ends at"),
  Command.withExamples([
    { command: "boocode mcp login NAME --no-browser", description: "On a machine without a browser" }
  ])
)

const logout = Command.make(
  "logout",
  { name, ...Target.flags },
  ({ name, ...given }) =>
    verb(
      () => import("./McpLogout.ts"),
      (module, options) => module.logout(options, Target.target(given), name)
    )
).pipe(Command.withDescription("Sign out of a remote server, and forget its tokens"))

export const logins = [login, logout] as const
