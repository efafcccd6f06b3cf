/** Where the path that a tool of a server declares leads on this machine, for rules that are about paths. */
import { McpRegistry } from "@boocode/mcp-registry"
import type { AgentTool, Conditions } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"

/** Where the paths among the arguments of a call lead once links are followed; undefined where that cannot be told. */
export type RealOf = (
  tool: Pick<AgentTool, "listed" | "real" | "server">,
  args: Schema.JsonObject
) => Effect.Effect<Conditions.Given["real"]>

/**
 * Of a tool that tells it itself, what the tool tells. Of a tool with a target whose server is a program on this machine,
 * an absolute path once its links are followed; what is not there yet counts as what it would be. A relative path is left
 * alone, because the server alone knows where it begins. Null for a path with a step up.
 */
export const make: Effect.Effect<RealOf, never, FileSystem.FileSystem | McpRegistry | Path.Path> = Effect.gen(
  function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const registry = yield* McpRegistry

    const followed = (at: string): Effect.Effect<string | null> => {
      const above = path.dirname(at)
      return fs.realPath(at).pipe(
        Effect.catchReason("PlatformError", "NotFound", () =>
          above === at
            ? Effect.succeed(null)
            : Effect.map(followed(above), (real) => real === null ? null : path.join(real, path.basename(at)))),
        Effect.orElseSucceed(() => null)
      )
    }

    return ({ listed, real, server }, args) => {
      if (real !== undefined) return real(args)
      const name = listed?.target?.path
      const value = name === undefined ? undefined : args[name]
      if (name === undefined || !Predicate.isString(value) || !path.isAbsolute(value)) return Effect.succeed(undefined)
      return Effect.gen(function*() {
        const found = (yield* registry.servers).find((one) => one.name === server)
        if (found?.transport !== "stdio") return undefined
        // Behind a link a step up leads to one place for the system, and to another for one who reads the text.
        return { [name]: UPWARD.test(value) ? null : yield* followed(path.normalize(value)) }
      })
    }
  }
)

const UPWARD = /(?:^|[\\/])\.\.(?:[\\/]|$)/
