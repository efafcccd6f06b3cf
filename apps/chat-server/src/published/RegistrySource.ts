/** Where the raw answers of a registry come from. */
import type * as Effect from "effect/Effect"
import type { RegistryFailure } from "./RegistryFailure.ts"

export interface Search {
  /** Words, or a part of a name; empty for all. */
  readonly search: string
  /** `nextCursor` of the page before; null for the first. */
  readonly cursor: string | null
}

/** An answer, and when it was given where the registry cannot be reached now. */
export interface Kept<A> {
  readonly answer: A
  /** Null for an answer of now. */
  readonly keptAt: string | null
}

/** A registry, and the raw answers that it gives. */
export interface Source {
  readonly page: (search: Search) => Effect.Effect<Kept<unknown>, RegistryFailure>
  /** Null is the latest version. */
  readonly version: (name: string, version: string | null) => Effect.Effect<Kept<unknown>, RegistryFailure>
  /** The latest version as it was answered last, without asking; null where it was never asked for. */
  readonly known: (name: string) => Effect.Effect<Kept<unknown> | null, RegistryFailure>
  /** A page of all versions of a server. */
  readonly versions: (name: string) => Effect.Effect<Kept<unknown>, RegistryFailure>
}
