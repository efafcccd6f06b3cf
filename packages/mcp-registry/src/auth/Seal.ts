/**
 * What makes a text of use to this user of this machine alone, such as a key in the system's keychain.
 */
import type * as Effect from "effect/Effect"

/** @category models */
export interface Seal {
  /** True where nothing may be kept that is not sealed. */
  readonly isRequired: boolean
  /** The text as nobody else can read it; null where that cannot be done now. Never fails. */
  readonly seal: (text: string, of: string) => Effect.Effect<string | null>
  /**
   * The text again; null where that cannot be done: the key is gone, the keychain locked, or the text was sealed as another's
   * than `of`, so that nobody can move it to another place of the file. Never fails.
   */
  readonly open: (sealed: string, of: string) => Effect.Effect<string | null>
}
