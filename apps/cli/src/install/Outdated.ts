/** `mcp outdated`: what was installed from a registry, compared with what it has now. */
import * as InstalledServers from "@boocode/chat-server/published/InstalledServers"
import * as OutdatedServers from "@boocode/chat-server/published/OutdatedServers"
import { ConfigFile } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as ServerFiles from "../edit/ServerFiles.ts"
import type { Options } from "../options/Options.ts"
import { Ended, Usage } from "../terminal/Failure.ts"
import { oneLine, Output, type Paint } from "../terminal/Output.ts"

/** Ends with 1 when there is another version of some server, and with 2 when the registry cannot tell. */
export const outdated = (options: Options) =>
  ServerFiles.withFiles(
    options,
    Effect.fnUntraced(function*(files) {
      const output = yield* Output
      const all = (yield* Effect.forEach(files.all, installedIn)).flat()
      const servers = yield* Effect.catchTag(
        OutdatedServers.compare(all),
        "RegistryUnreachable",
        ({ hint, message }) => Effect.fail(new Usage({ message, hint }))
      )
      const others = servers.filter(OutdatedServers.isOutdated)
      if (options.json) yield* output.document({ servers: servers.map((one) => ({ ...one })) })
      else {
        yield* output.lines(
          others.length > 0 ? others.map((one) => outdatedLine(one, output.paint)) : [
            servers.length === 0
              ? "no server was installed from a registry"
              : "every installed server is of the latest version"
          ]
        )
      }
      if (others.length > 0) return yield* new Ended({ code: 1 })
    })
  )

const outdatedLine = ({ latest, name, server, status, version }: OutdatedServers.Compared, paint: Paint): string => {
  const change = latest === null || latest === version ? version : `${version} → ${oneLine(latest)}`
  const state = status === "active" ? "" : `  ${paint.careful(status === "unknown" ? "not in the registry" : status)}`
  return `${paint.bold(oneLine(server))}  ${change}  ${paint.dim(name)}${state}`
}

/** The servers of a file that came from a registry. */
export const installedIn = ({ file }: ServerFiles.ServerFile) =>
  ConfigFile.readText(file.path).pipe(
    Effect.map(InstalledServers.inText),
    // Other verbs tell of a file that is not there, or cannot be read.
    Effect.orElseSucceed((): ReadonlyArray<InstalledServers.InstalledServer> => [])
  )
