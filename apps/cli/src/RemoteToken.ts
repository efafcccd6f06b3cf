/** The token that `--token` gives, for a running server that others than this machine can reach. */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** Null without the flag. */
export const RemoteToken = Context.Reference<Redacted.Redacted<string> | null>("cli/RemoteToken", {
  defaultValue: () => null
})
