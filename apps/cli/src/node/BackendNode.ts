/** The backend of a real process. Its layers are loaded when a verb first needs them, so that help is quick. */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { Backend } from "../backend/Backend.ts"
import type { DataLocation } from "../options/DataLocation.ts"
import { RemoteToken } from "../options/Options.ts"
import { failed } from "../terminal/Failure.ts"
import { Interrupts } from "../terminal/Keyboard.ts"
import type { BridgeProcess } from "./BridgeWiring.ts"
import type * as Wiring from "./Wiring.ts"

const load = Effect.promise(() => import("./Wiring.ts"))
const loadChats = Effect.promise(() => import("./ChatWiring.ts"))
const loadModels = Effect.promise(() => import("./ModelWiring.ts"))
const loadPeople = Effect.promise(() => import("./PeopleWiring.ts"))
const loadRemote = Effect.promise(() => import("../backend/RemoteClient.ts"))
const loadBackup = Effect.promise(() => import("./BackupWiring.ts"))
const loadFleet = Effect.promise(() => import("./FleetWiring.ts"))
const loadHistory = Effect.promise(() => import("./HistoryFile.ts"))
const loadSandbox = Effect.promise(() => import("./SandboxWiring.ts"))
const loadBridge = Effect.promise(() => import("./BridgeWiring.ts"))
const loadLogins = Effect.promise(() => import("./KeptLogins.ts"))
const loadRunning = Effect.promise(() => import("./AnnouncedServer.ts"))

export const layer = (own: BridgeProcess) => Layer.effect(Backend, make(own))

const make = Effect.fnUntraced(function*(own: BridgeProcess) {
  const { variables } = yield* Environment
  const around = yield* Effect.context<Environment | FileSystem.FileSystem | Path.Path>()
  const unknown = (url: string) => Layer.unwrap(Effect.map(loadRemote, (module) => module.layerFetch(url, variables)))
  const seeker = {
    user: own.user,
    proofOf: (url: string, nonce: string) => Effect.flatMap(loadRemote, ({ proofBy }) => proofBy(unknown)(url, nonce))
  }
  const passes = new Map<string, Redacted.Redacted<string>>()
  /** A token that cannot be opened is not sent, and the server says that it wants one. */
  const kept = (url: string) =>
    Effect.flatMap(loadLogins, ({ read }) => Effect.provideContext(read(url), around)).pipe(
      Effect.catch((error) => Effect.as(Effect.logWarning(`${error.message}; ${error.hint}`), null))
    )
  /**
   * The value of `--token`, else the pass of a server of this machine, else `BOOCODE_TOKEN`, else the token that
   * `boocode login` kept.
   */
  const tokenFor = Effect.fnUntraced(function*(url: string) {
    const flag = yield* RemoteToken
    if (flag !== null) return flag
    const { passFor } = yield* loadRunning
    const pass = passes.get(url) ?? (yield* Effect.provideContext(passFor(url, seeker), around))
    if (pass !== null) return pass
    return variables["BOOCODE_TOKEN"] ? Redacted.make(variables["BOOCODE_TOKEN"]) : yield* kept(url)
  })
  const remote = (url: string) =>
    Layer.unwrap(Effect.gen(function*() {
      const module = yield* loadRemote
      return module.layerFetch(url, variables, yield* tokenFor(url))
    }))
  const interrupts = yield* Interrupts
  const grounds = new WeakMap<DataLocation, ReturnType<typeof Wiring.ground>>()
  const groundOf = (wiring: typeof Wiring, place: DataLocation) => {
    const ground = grounds.get(place) ?? wiring.ground(place, variables, interrupts)
    grounds.set(place, ground)
    return ground
  }
  return Backend.of({
    files: (place) => Effect.flatMap(load, (wiring) => wiring.files(place, groundOf(wiring, place))),
    config: (place) => Layer.unwrap(Effect.map(load, (wiring) => wiring.config(place, groundOf(wiring, place)))),
    trust: (place) => Layer.unwrap(Effect.map(load, (wiring) => wiring.trust(groundOf(wiring, place)))),
    permissions: (place) => Layer.unwrap(Effect.map(load, (wiring) => wiring.permissions(groundOf(wiring, place)))),
    published: (place, registry) =>
      Layer.unwrap(Effect.map(load, (wiring) => wiring.published(groundOf(wiring, place), registry))),
    registry: (place, log, isTrial) =>
      Layer.unwrap(Effect.map(load, (wiring) => wiring.registry(groundOf(wiring, place), log, isTrial))),
    chats: (place, log) =>
      Layer.unwrap(Effect.gen(function*() {
        const ground = groundOf(yield* load, place)
        return (yield* loadChats).chats(ground, log)
      })),
    models: (place) =>
      Layer.unwrap(Effect.gen(function*() {
        const ground = groundOf(yield* load, place)
        return (yield* loadModels).layer(ground)
      })),
    people: (place) =>
      Layer.unwrap(Effect.gen(function*() {
        const ground = groundOf(yield* load, place)
        return (yield* loadPeople).layer(ground)
      })),
    running: (place) =>
      Effect.flatMap(loadRunning, ({ find }) => Effect.provideContext(find(place, seeker), around)).pipe(
        Effect.map((found) => {
          if (found !== null) passes.set(found.url, found.pass)
          return found?.url ?? null
        })
      ),
    history: (place) => Effect.flatMap(loadHistory, ({ make }) => Effect.provideContext(make(place), around)),
    sandbox: Layer.unwrap(Effect.map(loadSandbox, ({ layer }) => layer)),
    remote,
    logins: {
      addresses: Effect.flatMap(loadLogins, ({ addresses }) => Effect.provideContext(addresses, around)),
      keep: (url, token) => Effect.flatMap(loadLogins, ({ keep }) => Effect.provideContext(keep(url, token), around)),
      forget: (url) => Effect.flatMap(loadLogins, ({ forget }) => Effect.provideContext(forget(url), around))
    },
    backup: (place, options) =>
      Effect.flatMap(loadBackup, (wiring) => Effect.provideContext(wiring.backup(place, options), around)),
    restore: (place, options) =>
      Effect.flatMap(loadBackup, (wiring) => Effect.provideContext(wiring.restore(place, options), around)),
    fleet: {
      import: (place) => Effect.flatMap(loadFleet, (wiring) => Effect.provideContext(wiring.imported(place), around)),
      export: (place, folder) =>
        Effect.flatMap(loadFleet, (wiring) => Effect.provideContext(wiring.exported(place, folder), around)),
      history: (place, file) =>
        Effect.flatMap(loadFleet, (wiring) => Effect.provideContext(wiring.history(place, file), around)),
      restore: (place, file, version) =>
        Effect.flatMap(loadFleet, (wiring) => Effect.provideContext(wiring.restored(place, file, version), around))
    },
    bridge: (place, profile) =>
      Effect.flatMap(loadBridge, ({ run }) => Effect.provideContext(run(place, profile, variables, own), around)).pipe(
        Effect.mapError(failed)
      ),
    serve: (place, options) =>
      Effect.flatMap(loadChats, (wiring) => wiring.serve(place, options, variables, interrupts.abandoned))
  })
})
