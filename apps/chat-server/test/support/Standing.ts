/** Where a scripted server stands: its settings, its folders, its database, and who may use it. */
import { ChatStoreFailed } from "@boocode/chat"
import { McpFetch } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import { Access } from "../../src/access/Access.ts"
import { AccessToken } from "../../src/access/AccessToken.ts"
import { DeviceLogins } from "../../src/access/DeviceLogins.ts"
import { IdentityProvider } from "../../src/access/IdentityProvider.ts"
import { InstanceSecret } from "../../src/access/InstanceSecret.ts"
import { ProxySignIn } from "../../src/access/ProxySignIn.ts"
import { UserSignIn } from "../../src/access/UserSignIn.ts"
import { Database } from "../../src/database/Database.ts"
import { DataFolder } from "../../src/settings/DataFolder.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { Budget } from "../../src/team/Budget.ts"
import * as TeamDatabase from "../../src/team/TeamDatabase.ts"
import { HostMetrics } from "../../src/telemetry/HostMetrics.ts"
import * as UserDatabase from "../../src/users/UserDatabase.ts"

export interface Standing {
  /** Left out for a server that only its own machine reaches. */
  readonly token?: string
  readonly settings?: Partial<typeof Settings.Service>
  readonly instance?: typeof InstanceSecret.Service
  /** Whether the database answers. */
  readonly isDatabaseUp?: () => boolean
  /** The files by path; what the server writes is found here. */
  readonly disk?: Map<string, string>
  /** The people there are; nobody unless given. */
  readonly users?: Layer.Layer<UserDatabase.UserDatabase | TeamDatabase.TeamDatabase>
}

const missing = PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "readFile" })

/** A disk of texts by path. */
export const files = (disk: Map<string, string>) =>
  FileSystem.layerNoop({
    makeDirectory: () => Effect.void,
    remove: (path) => Effect.sync(() => void disk.delete(path)),
    // As on a real disk, others come in between.
    writeFileString: (path, text, options) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.suspend(() => {
          if (options?.flag === "wx" && disk.has(path)) return Effect.fail(missing)
          disk.set(path, "")
          return Effect.andThen(Effect.yieldNow, Effect.sync(() => void disk.set(path, text)))
        })
      ),
    rename: (from, to) =>
      Effect.sync(() => {
        disk.set(to, disk.get(from) ?? "")
        disk.delete(from)
      }),
    readFileString: (path) => {
      const text = disk.get(path)
      return text === undefined ? Effect.fail(missing) : Effect.succeed(text)
    }
  })

/** The folders of every scripted server. */
export const folder = Layer.succeed(DataFolder, {
  folder: "/d",
  dataFile: "/d/mcp.json",
  isNamed: true,
  configFile: null,
  agentsFile: "/d/AGENTS.md",
  settingsFile: "/d/settings.json",
  envFile: "/d/.env",
  workspace: "/d/workspace",
  state: "/s"
})

const nobody = Layer.merge(UserDatabase.layerNone, TeamDatabase.layerNone)

export const layer = (
  { disk = new Map(), instance, isDatabaseUp = () => true, settings = {}, token, users = nobody }: Standing = {}
) => {
  const known = token === undefined ? AccessToken.layerNone : AccessToken.layerOf(Redacted.make(token))
  const secret = instance === undefined ? InstanceSecret.layer : Layer.succeed(InstanceSecret, instance)
  const database = Layer.succeed(Database, {
    kind: "memory",
    name: "memory",
    check: Effect.suspend(() =>
      isDatabaseUp() ? Effect.void : Effect.fail(new ChatStoreFailed({ operation: "check", why: "gone" }))
    )
  })
  const ours = Layer.provideMerge(ProxySignIn.layer, [Settings.layerValues(settings), McpFetch.layer(globalThis.fetch)])
  return Layer.mergeAll(
    Layer.provide(Layer.mergeAll(Access.layer, DeviceLogins.layer, UserSignIn.layer), [known, files(disk), ours]),
    IdentityProvider.layerNone,
    Layer.succeed(HostMetrics, { measure: Effect.void }),
    database,
    Layer.provide(Budget.layer, ours),
    Settings.layerValues(settings)
  ).pipe(Layer.provideMerge(users), Layer.provideMerge(secret), Layer.provideMerge(folder), Layer.provide(Path.layer))
}
