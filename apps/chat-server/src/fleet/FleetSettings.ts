/** The settings of a node of a fleet, from its variables. */
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { networkInterfaces } from "node:os"
import { DataFolder } from "../settings/DataFolder.ts"
import * as SharedSecret from "../users/SharedSecret.ts"

/** A node that cannot be one of a fleet. It starts nothing. */
export class FleetUnusable extends Data.TaggedError("FleetUnusable")<{
  readonly why: string
  readonly hint: string
}> {
  override get message(): string {
    return `this node cannot join the fleet: ${this.why}`
  }
}

export class FleetSettings extends Context.Service<FleetSettings, {
  /** Where the other nodes reach this one. */
  readonly host: string
  readonly port: number
  /** Every node of the fleet has this one secret; a program that has it is a node. */
  readonly secret: Redacted.Redacted
  readonly database: Redacted.Redacted
  /** Seals what the nodes keep together. */
  readonly seal: Redacted.Redacted
  /** The absolute path of this node's data folder. */
  readonly folder: string
}>()("chat-server/FleetSettings") {
  /** Fails with what is missing or wrong, and what to write. */
  static readonly layer = Layer.effect(
    FleetSettings,
    Effect.gen(function*() {
      const { variables } = yield* Environment
      const get = (name: string) => (variables[name] ?? "").trim()
      const database = get("DATABASE_URL")
      if (database === "") {
        return yield* refused("DATABASE_URL is not set", "set it to the PostgreSQL database that all nodes share")
      }
      const secret = get("BOOCODE_FLEET_SECRET")
      if (secret.length < SHORTEST_SECRET) {
        return yield* refused(
          secret === ""
            ? "BOOCODE_FLEET_SECRET is not set"
            : `BOOCODE_FLEET_SECRET is shorter than ${SHORTEST_SECRET} characters`,
          "make one for all nodes, for instance with: openssl rand -hex 32"
        )
      }
      const seal = yield* SharedSecret.given
      if (seal === null || Redacted.value(seal).length < SHORTEST_SECRET) {
        return yield* refused(
          `${SharedSecret.NAME}, which seals the tokens that all nodes keep together, has fewer than ${SHORTEST_SECRET} characters`,
          "make one for all nodes, for instance with: openssl rand -hex 32"
        )
      }
      const folder = (yield* Path.Path).resolve((yield* DataFolder).folder)
      const { host, port } = yield* addressOf(get("BOOCODE_FLEET_ADDRESS"))
      return FleetSettings.of({
        host,
        port,
        secret: Redacted.make(secret),
        database: Redacted.make(database),
        seal,
        folder
      })
    })
  )
}

const SHORTEST_SECRET = 32
const DEFAULT_PORT = 4267

const refused = (why: string, hint: string) => Effect.fail(new FleetUnusable({ why, hint }))

/** `HOST:PORT`, `HOST` or `:PORT`; what is left out is the address of this machine's network, and the default port. */
const addressOf = Effect.fnUntraced(function*(written: string) {
  const [, bracketed, plain = "", port = `${DEFAULT_PORT}`] =
    /^(?:\[([^\]]+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(written) ?? []
  const host = bracketed ?? plain
  if (!(Number(port) >= 1 && Number(port) <= 65_535) || (written !== "" && host === "" && !/^:\d+$/.test(written))) {
    return yield* refused(
      `BOOCODE_FLEET_ADDRESS is no address: ${written}`,
      `write it as HOST:PORT, where the other nodes reach this one, for instance 10.0.0.7:${DEFAULT_PORT}`
    )
  }
  const own = host === "" ? ownAddress() : host
  return own === null
    ? yield* refused(
      "this machine has no address that other machines could reach",
      "set BOOCODE_FLEET_ADDRESS to HOST:PORT"
    )
    : { host: own, port: Number(port) }
})

/** That of a pod: the first one that is not the machine's own. */
const ownAddress = (): string | null =>
  Object.values(networkInterfaces()).flat().find((one) => one?.internal === false && one.family === "IPv4")?.address ??
    null
