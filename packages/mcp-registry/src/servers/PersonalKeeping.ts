/** The records of a server of one person, apart from those of every other: tokens, pins, lists of tools. */
import type { CredentialKey, CredentialStore, McpErrors } from "@boocode/mcp-client"
import { Credentials } from "@boocode/mcp-client/Auth"
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ToolPins } from "../trust/ToolPins.ts"

/** Has the effect keep what it keeps of personal servers for this person alone. `isPersonal` tells them by name. */
export const keptFor =
  (person: string, isPersonal: (server: string) => boolean) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateContext(effect, (context: Context.Context<R>) =>
      context.pipe(
        Context.add(Credentials, credentialsOf(Context.get(context, Credentials), person, isPersonal)),
        Context.add(ToolPins, pinsOf(Context.get(context, ToolPins), person))
      ))

/**
 * Forgets the tokens of all logins of this person, also at servers that are not configured any more. Nothing is revoked: for
 * a program without a registry.
 */
export const forgetLogins = (person: string): Effect.Effect<void, McpErrors.AuthorizationFailed> =>
  Effect.flatMap(Credentials, ({ forget }) => forget((server) => server.endsWith(`\n${person}`)))

/** No name of a server has a line break, so that no two people and servers have the same key. */
const credentialsOf = (
  store: CredentialStore,
  person: string,
  isPersonal: (server: string) => boolean
): CredentialStore => {
  const own = (key: CredentialKey): CredentialKey =>
    isPersonal(key.server) ? { ...key, server: `${key.server}\n${person}` } : key
  return {
    read: (key) => store.read(own(key)),
    change: (key, change) => store.change(own(key), change),
    remove: (key) => store.remove(own(key)),
    forget: store.forget
  }
}

/** Not in the lock file beside the entry, which is everybody's. */
const pinsOf = (pins: typeof ToolPins.Service, person: string): typeof ToolPins.Service => {
  const own = (entry: ConfiguredServer): ConfiguredServer =>
    entry.declared === undefined || entry.personal === undefined ? entry : {
      ...entry,
      declared: { ...entry.declared, scope: "project", folder: `${entry.declared.file}\n${person}` }
    }
  return {
    check: (subject) => pins.check({ ...subject, entry: own(subject.entry) }),
    forget: (entry) => pins.forget(own(entry))
  }
}
