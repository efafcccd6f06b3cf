/** `mcp serve`: an MCP server on standard input and output that offers the tools of all servers. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { Backend } from "../backend/Backend.ts"
import { place } from "../backend/VerbContext.ts"
import { textFlag, verb } from "../options/Options.ts"

export const serving = Command.make(
  "serve",
  {
    profile: Flag.withDefault(
      textFlag("profile", "NAME", "What the client is offered: a profile of gateway.jsonc; default by default"),
      "default"
    )
  },
  ({ profile }) =>
    verb(Effect.fnUntraced(function*(options) {
      const where = yield* place(options)
      yield* Backend.use((backend) => backend.bridge(where, profile))
    }))
).pipe(Command.withDescription("Serve all tools to an MCP client that starts this command"))
