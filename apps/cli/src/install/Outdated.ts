/** `mcp outdated`: what was installed from a registry, compared with what it has now. */
import * as InstalledServers from "@boocode/chat-server/published/InstalledServers"
import { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import type { Kept } from "@boocode/chat-server/published/RegistrySource"
import { ConfigFile } from "@boocode/mcp-config"
import type { RegistryAnswer } from "@boocode/mcp-config/Published"
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
      const registry = yield* PublicRegistry
      const all = (yield* Effect.forEach(files.all, installedIn)).flat()
      const servers = yield* Effect.forEach(all, ({ origin, server }) =>
        registry.server(origin.name, null).pipe(
          Effect.flatMap(fresh),
          Effect.map((latest) => ({ server, ...origin, latest: latest.version, status: latest.status })),
          Effect.catchTags({
            UnknownPublished: () => Effect.succeed({ server, ...origin, latest: null, status: "unknown" as const }),
            RegistryUnreachable: ({ hint, message }) => Effect.fail(new Usage({ message, hint }))
          })
        ), { concurrency: 4 })
      const others = servers.filter(({ latest, status, version }) => latest !== version || status !== "active")
      if (options.json) yield* output.document({ servers })
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

interface Compared {
  readonly server: string
  readonly name: string
  readonly version: string
  readonly latest: string | null
  readonly status: RegistryAnswer.PublishedServer["status"] | "unknown"
}

const outdatedLine = ({ latest, name, server, status, version }: Compared, paint: Paint): string => {
  const change = latest === null || latest === version ? version : `${version} → ${oneLine(latest)}`
  const state = status === "active" ? "" : `  ${paint.careful(status === "unknown" ? "not in the registry" : status)}`
  return `${paint.bold(oneLine(server))}  ${change}  ${paint.dim(name)}${state}`
}

/** An answer that was kept says nothing about now. */
const fresh = ({ answer, keptAt }: Kept<RegistryAnswer.PublishedServer>) =>
  keptAt === null ? Effect.succeed(answer) : Effect.fail(
    new Usage({
      message: `the registry cannot be reached; its answer of ${keptAt} does not say what there is now`,
      hint: "check the network, or name another registry with --registry"
    })
  )

/** The servers of a file that came from a registry. */
export const installedIn = ({ file }: ServerFiles.ServerFile) =>
  ConfigFile.readText(file.path).pipe(
    Effect.map(InstalledServers.inText),
    // Of a file that is not there, or cannot be read, other verbs tell.
    Effect.orElseSucceed((): ReadonlyArray<InstalledServers.InstalledServer> => [])
  )
