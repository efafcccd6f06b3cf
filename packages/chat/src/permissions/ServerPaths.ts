/** Where the path that a tool of a server declares leads on this machine, for rules that are about paths. */
import type { AgentTool, Conditions } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as ServerFolders from "../journal/ServerFolders.ts"

/** Where the paths among the arguments of a call lead once links are followed; undefined where that cannot be told. */
export type RealOf = (
  tool: Pick<AgentTool, "listed" | "real" | "server">,
  args: Schema.JsonObject
) => Effect.Effect<Conditions.Given["real"]>

/**
 * Gives the path that a tool really touches. A tool that tells its path itself is believed. For a tool with a target
 * whose server is a program on this machine, it is the path once its links are followed; a path that does not exist yet
 * counts as the one it would have. A relative path is followed in each folder at which it may begin, as the server
 * alone knows which it is: the first link that is met counts. It stays relative where it stays in that folder. Null for
 * a path with a step up.
 */
export const make: Effect.Effect<RealOf, never, FileSystem.FileSystem | Path.Path> = Effect.gen(
  function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

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

    /** A path in a folder; relative where it stays there. */
    const inside = Effect.fnUntraced(function*(folder: string, plain: string) {
      const at = yield* followed(path.join(folder, plain))
      const near = at === null ? null : path.relative(folder, at)
      return near === null || UPWARD.test(near) || path.isAbsolute(near) ? at : near
    })

    const realOf = Effect.fnUntraced(function*(target: ServerFolders.Target, value: string) {
      if (target.folders === undefined) return undefined
      // Behind a link a step up leads to one place for the system, and to another for one who reads the text.
      if (UPWARD.test(value)) return null
      if (path.isAbsolute(value)) return yield* followed(path.normalize(value))
      const plain = path.relative("/", path.join("/", value))
      const all = yield* Effect.forEach(yield* ServerFolders.of(target), (folder) => inside(folder, plain))
      return all.find((real) => real !== plain) ?? plain
    }, Effect.provideContext(services))

    return ({ listed, real }, args) => {
      if (real !== undefined) return real(args)
      const target = listed?.target ?? null
      const value = target === null ? undefined : args[target.path]
      if (target === null || !Predicate.isString(value)) return Effect.succeed(undefined)
      return Effect.map(realOf(target, value), (found) => found === undefined ? undefined : { [target.path]: found })
    }
  }
)

const UPWARD = /(?:^|[\\/])\.\.(?:[\\/]|$)/
