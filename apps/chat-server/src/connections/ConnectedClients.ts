/** The applications of this machine with the state of their connection: what `boocode connect` and the page show. */
import { Environment } from "@boocode/mcp-config"
import { Clients, ClientText } from "@boocode/mcp-config/Exchange"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type * as Schema from "effect/Schema"
import * as ClientConnection from "./ClientConnection.ts"
import * as GatewayEntry from "./GatewayEntry.ts"

/** One application. */
export type Connected = {
  readonly id: string
  readonly title: string
  /** The file that has its entry, or would have it; null where no variable tells a home folder. */
  readonly file: string | null
  readonly found: boolean
  /** The profile that its entry chooses; null while it is not connected. */
  readonly profile: string | null
  /** How many other servers it has that are on. */
  readonly servers: number
  /** Why its file cannot be read; null where it can. */
  readonly problem: string | null
}

/** All applications, and the entry for one that is not among them. */
export type Document = {
  readonly clients: ReadonlyArray<Connected>
  /** The flags that `boocode connect` needs to mean this data folder. */
  readonly flags: ReadonlyArray<string>
  /** Such a file as most applications read. */
  readonly entry: Schema.JsonObject
}

/** Looks at all applications. Never fails, and changes nothing. */
export const list = Effect.gen(function*() {
  const entry = yield* GatewayEntry.make(GatewayEntry.DEFAULT_PROFILE)
  const clients = yield* Effect.forEach(Clients.all, one)
  return {
    clients,
    flags: yield* GatewayEntry.dataFlags,
    entry: { mcpServers: { [ClientText.NAME]: entry } }
  } satisfies Document
})

const one = Effect.fnUntraced(function*(client: Clients.Client) {
  const located = yield* Clients.locate(client)
  const base = { id: client.id, title: client.title, file: located === null ? null : yield* nearer(located.file) }
  return yield* Effect.match(ClientConnection.look(client), {
    onSuccess: ({ isFound, profile, servers }): Connected => ({
      ...{ ...base, found: isFound, profile, problem: null },
      servers: servers.length
    }),
    onFailure: ({ message }): Connected => ({
      ...{ ...base, found: located?.isFound ?? false, profile: null, problem: message },
      servers: 0
    })
  })
})

/** A file below the home folder by its short name. */
const nearer = Effect.fnUntraced(function*(file: string) {
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const below = path.relative(variables["HOME"] ?? variables["USERPROFILE"] ?? file, file)
  return below === "" || below.startsWith("..") || path.isAbsolute(below) ? file : path.join("~", below)
})
