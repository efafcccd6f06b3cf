/** The routes about servers that a registry publishes. */
import { get, path, post, query } from "../../api/Client.ts"
import type {
  EntryTrial,
  Installed,
  OutdatedServer,
  PublishedDetails,
  PublishedSummary,
  Upgrade,
  WantedServer,
  WantedUpgrade
} from "../../api/Types.ts"

export interface FoundPage {
  readonly registry: string
  readonly keptAt: string | null
  readonly servers: ReadonlyArray<PublishedSummary>
  readonly nextCursor: string | null
  readonly problems: ReadonlyArray<string>
}

export type PublishedVersion = Pick<PublishedSummary, "version" | "status" | "publishedAt">

export const search = (words: string, cursor: string | null) =>
  get<FoundPage>(query("registry/servers", { search: words, cursor }))
export const look = (name: string, version: string | null, signal: AbortSignal) =>
  get<PublishedDetails>(query(path("registry", "servers", name), { version }), signal)
export const versionsOf = (name: string) =>
  get<{ versions: ReadonlyArray<PublishedVersion> }>(path("registry", "servers", name, "versions"))
/** Says what would be written, and writes nothing. */
export const plan = (wanted: WantedServer) => post<Installed>("registry/install", { ...wanted, dryRun: true })
export const install = (wanted: WantedServer) => post<Installed>("registry/install", wanted)
export const tryPublished = (wanted: WantedServer) => post<EntryTrial>("registry/try", wanted)
/** With `isKept` by what the registry answered last: it is not asked. */
export const listOutdated = (isKept = false) =>
  get<{ servers: ReadonlyArray<OutdatedServer> }>(query("registry/outdated", { kept: isKept ? "true" : null }))

/** Starts both versions once, and says what differs. */
export const compareVersions = (wanted: WantedUpgrade) => post<Upgrade>("registry/upgrade", { ...wanted, dryRun: true })
export const upgrade = (wanted: WantedUpgrade) => post<Upgrade>("registry/upgrade", wanted)
