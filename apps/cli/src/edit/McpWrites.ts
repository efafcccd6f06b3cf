/** `mcp writes`: offers the writing tools of a server, each call with a person's yes, or keeps them off. */
import { ConfigEditor } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Remote from "../backend/Remote.ts"
import { atServer } from "../backend/VerbContext.ts"
import { serverLines } from "../lines/ServerLines.ts"
import { type Options, scope, serverName, url, verb } from "../options/Options.ts"
import { Failed, Usage } from "../terminal/Failure.ts"
import { oneLine, Output } from "../terminal/Output.ts"
import * as EditedServers from "./EditedServers.ts"
import * as FileChange from "./FileChange.ts"
import * as ServerFiles from "./ServerFiles.ts"

export const writes = Command.make(
  "writes",
  {
    name: serverName,
    mode: Argument.Literals("MODE", ["off", "ask"]).pipe(
      Argument.withDescription("ask offers its writing tools, each call with your yes; off keeps them off")
    ),
    scope: scope("Only a file of this scope; by default the file whose entry is in use"),
    url
  },
  ({ scope, url, ...given }) =>
    verb((options) => {
      if (url === null) return inFile(options, scope, given)
      return scope === null ? atServer(url)(remotely(options, given)) : Effect.fail(BOTH)
    })
).pipe(
  Command.withDescription("Offer the tools of a server that write, each call with your yes, or keep them off"),
  Command.withExamples([
    { command: "boocode mcp writes memory ask", description: "memory may remember, and asks you each time" }
  ])
)

interface Given {
  readonly name: string
  readonly mode: "off" | "ask"
}

const BOTH = new Usage({
  message: "--scope chooses a file of this machine, and --url a running server",
  hint: "give one of them"
})

const remotely = Effect.fnUntraced(function*(options: Options, { mode, name }: Given) {
  const { api, lasting } = yield* Remote.Remote
  const { columns, document, lines, paint } = yield* Output
  const changed = lasting(api.servers.writes({ params: { name }, payload: { writes: mode } }))
  const server = yield* Effect.mapError(changed, Remote.plainly)
  yield* options.json ? document(server) : lines(serverLines([server], paint, yield* columns))
})

const inFile = (options: Options, scope: ServerFiles.Scope | null, { mode, name }: Given) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const target = yield* ServerFiles.holding(files, name, scope)
      if (target.file.scope === "project") return yield* ofProject(name, target)
      const edited = yield* FileChange.apply(target, (text, told) => ConfigEditor.setWrites(text, name, mode, told))
      yield* EditedServers.report(options, {
        ...{ files, target, edited },
        changes: [[name, edited.isChanged ? `writes-${mode}` : "unchanged"]],
        already: mode === "ask" ? "offering its writing tools" : "keeping its writing tools off"
      })
    })
  )

const ofProject = (name: string, { file }: ServerFiles.ServerFile) =>
  new Failed({
    tag: "OtherScope",
    message: `${oneLine(name)} is in ${file.name} of the project, which cannot offer writing tools`,
    hint: "write the entry into a file of your own, with \"writes\": \"ask\""
  })
