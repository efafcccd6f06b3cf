/** A client of a gateway: who sent a request, and who is connected. */
import type { Asker } from "@boocode/mcp-registry"
import type { Profile } from "./Profile.ts"

/**
 * The sender of a request, as the program in front of the gateway knows it.
 *
 * @category model
 */
export interface Caller {
  /** Tells apart whose requests belong together, for instance the id of a token. A session is used by its caller alone. */
  readonly id: string
  /** The name by which people know it; null where it has none but that of its program. */
  readonly label?: string | null | undefined
  /** The name under which the client has this gateway in its configuration. Default `boocode`. */
  readonly serverName?: string | undefined
  /** The name of its profile, to show. Default `default`. */
  readonly profileName?: string | undefined
  /** Default: the profile of the gateway. */
  readonly profile?: Profile | undefined
}

/**
 * A client that is connected. Before revision 2026-07-28 that is one session; since then all requests of a caller whose
 * program has the same name.
 *
 * @category model
 */
export interface Client {
  /** Its name for `Gateway.end`. It cannot be guessed. */
  readonly id: string
  readonly caller: Caller
  readonly profile: Profile
  readonly profileName: string
  /** Its `clientInfo`, as it says. */
  readonly program: { readonly name: string; readonly version: string }
  readonly era: "legacy" | "modern"
  /** The requests it can answer. */
  readonly can: {
    readonly form: boolean
    readonly url: boolean
    readonly sampling: boolean
    readonly roots: boolean
    /** Shows apps of servers (MCP Apps). */
    readonly apps?: true
  }
}

/**
 * A client as it stands.
 *
 * @category model
 */
export interface ClientStatus extends Client {
  readonly exposure: "flat" | "search" | "code"
  /** In milliseconds since 1970. */
  readonly since: number
  /** When it last sent anything, in milliseconds since 1970. */
  readonly lastSeen: number
  /** How many tools of servers it called. */
  readonly calls: number
  /** How many of these calls are not answered yet. */
  readonly inFlight: number
  /** The tools that it called last, the newest first: ten at most. */
  readonly lastTools: ReadonlyArray<string>
}

/**
 * Gives who answers a server's questions about a call of a client that cannot be asked; null where nobody does.
 *
 * @category model
 */
export type Substitute = (client: Client) => Asker | null
