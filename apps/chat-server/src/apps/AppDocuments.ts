/** The documents of apps that wait to be fetched by browsers, each at an address that nobody can guess. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import type { SharedDocuments } from "../database/SharedDocuments.ts"
import * as AppPolicy from "./AppPolicy.ts"
import * as SandboxPage from "./SandboxPage.ts"

/** An answer to a browser. */
export interface Answer {
  readonly html: string
  readonly policy: string
}

export interface AppDocuments {
  /** Keeps a document for `host`, the origin of the page that shows it. Gives the word at the end of its address. */
  readonly add: (document: Pending) => Effect.Effect<string>
  /** The document of such a word; null for one that is not there. */
  readonly document: (id: string) => Effect.Effect<Answer | null>
  /** The page around it, which has `base` before the word. */
  readonly sandbox: (id: string, base: string) => Effect.Effect<Answer | null>
}

interface Pending {
  readonly html: string
  readonly policy: AppPolicy.AppPolicy
  readonly host: string
  /** The origin of the page around it; null for none. */
  readonly sandbox: string | null
}

const Kept = Schema.Struct({
  html: Schema.String,
  policy: Schema.String,
  host: Schema.String,
  /** The `allow` of its frame in the page around it; null for no such page. */
  allow: Schema.NullOr(Schema.String)
})
type Kept = typeof Kept.Type
const decode = Schema.decodeEffect(Schema.fromJsonString(Kept))

/** A frame fetches its document at once, and again when the browser restores a tab. */
const MOST_BYTES = 32_000_000
const MOST = 200

/** The oldest go where there are too many. */
export const make = (shared: typeof SharedDocuments.Service = null): AppDocuments => {
  const kept = new Map<string, Kept>()
  const size = () => [...kept.values()].reduce((sum, { html }) => sum + html.length, 0)
  const ofOthers = Effect.fnUntraced(function*(id: string) {
    const text = shared === null ? null : yield* shared.get(id)
    return text === null ? null : yield* decode(text)
  }, Effect.catch(({ message }) => Effect.as(Effect.logWarning(`an app cannot be shown: ${message}`), null)))
  const find = (id: string) =>
    Effect.suspend(() => {
      const own = kept.get(id)
      return own === undefined ? ofOthers(id) : Effect.succeed(own)
    })
  return {
    add: Effect.fnUntraced(function*({ host, html, policy, sandbox }) {
      const id = randomBytes(24).toString("base64url")
      const document: Kept = {
        html,
        policy: AppPolicy.header(policy, sandbox === null ? [host] : [sandbox, host]),
        host,
        allow: sandbox === null ? null : allowOf(policy)
      }
      kept.set(id, document)
      for (const oldest of kept.keys()) {
        if (oldest === id || kept.size <= MOST && size() <= MOST_BYTES) break
        kept.delete(oldest)
      }
      if (shared !== null) {
        yield* Effect.catch(
          shared.put(id, JSON.stringify(document)),
          ({ message }) => Effect.logWarning(`an app is shown by this node alone: ${message}`)
        )
      }
      return id
    }),
    document: (id) =>
      Effect.map(find(id), (found) => found === null ? null : { html: found.html, policy: found.policy }),
    sandbox: (id, base) =>
      Effect.map(
        find(id),
        (found) =>
          found === null || found.allow === null
            ? null
            : SandboxPage.make(found.host, `${base}/${id}/document`, found.allow)
      )
  }
}

/** The `allow` of a frame of the document. */
export const allowOf = ({ clipboard }: AppPolicy.AppPolicy): string => clipboard ? "clipboard-write *" : ""
