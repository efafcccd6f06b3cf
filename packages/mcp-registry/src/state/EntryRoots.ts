/** The folders that a server is told it may work in: those of its entry, or those of the host. */
import { type Root, ServerRequests } from "@boocode/mcp-client"
import type { ServerHost } from "@boocode/mcp-client/Host"
import type { ServerConfig, Stdio } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

export type Said = ServerConfig["roots"]

/**
 * Whether a server that was started with what one entry said can go on with what another says: it is told of folders, or
 * of none, for as long as it is connected.
 */
export const kindOf = (said: Said): "some" | "none" | "unsaid" => {
  if (said === null || said === undefined) return "unsaid"
  return said === true || said.length > 0 ? "some" : "none"
}

/** The folders of a server as it starts, following what its entry says from then on; null where it is told of none. */
export const make = Effect.fnUntraced(function*(
  { transport }: ServerConfig,
  said: SubscriptionRef.SubscriptionRef<Said>
): Effect.fn.Return<ServerHost["roots"], never, FileSystem.FileSystem | Path.Path> {
  const { roots: host } = yield* ServerRequests
  const path = yield* Path.Path
  const first = yield* SubscriptionRef.get(said)
  if (kindOf(first) === "none") return null
  if (kindOf(first) === "unsaid" && transport._tag !== "stdio") return null
  const rootOf = (folder: string) =>
    Effect.map(path.toFileUrl(folder), ({ href }): Root => ({ uri: href, name: path.basename(folder) || folder }))
  const current = Effect.flatMap(SubscriptionRef.get(said), (now) =>
    now === true || now === null || now === undefined
      ? host.current
      : Effect.orElseSucceed(Effect.forEach(now, rootOf), () => []))
  // A host without any folder has nothing to tell; an entry that asks for folders may name some later.
  if (kindOf(first) === "unsaid" && (yield* current).length === 0) return null
  // Last, because it looks at files before the server may start.
  if (kindOf(first) === "unsaid" && transport._tag === "stdio" && (yield* namesFolder(transport))) return null
  const changes = Stream.merge(SubscriptionRef.changes(said), host.changes).pipe(
    Stream.mapEffect(() => current),
    Stream.changesWith(Equal.equals),
    Stream.drop(1),
    Stream.map(() => {})
  )
  const areCallers = Effect.map(SubscriptionRef.get(said), (now) => !Array.isArray(now))
  return { current, changes, areCallers }
})

/** More arguments are not looked at. */
const MOST_ARGUMENTS = 64

/** A person who wrote a folder there has chosen; some servers would drop it for what they are told later. */
const namesFolder = Effect.fnUntraced(function*({ args, cwd }: Stdio) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const texts = args.slice(0, MOST_ARGUMENTS).map(Redacted.value).flatMap((
    arg
  ) => [arg, arg.slice(arg.indexOf("=") + 1)])
  for (const text of new Set(texts)) {
    const isFolder = Effect.map(fs.stat(path.resolve(cwd, text)), ({ type }) => type === "Directory")
    if (text !== "" && (yield* Effect.orElseSucceed(isFolder, () => false))) return true
  }
  return false
})
