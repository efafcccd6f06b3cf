/** The documents of apps that wait to be fetched by browsers, each at an address that nobody can guess. */
import { randomBytes } from "node:crypto"
import * as AppPolicy from "./AppPolicy.ts"
import * as SandboxPage from "./SandboxPage.ts"

/** An answer to a browser. */
export interface Answer {
  readonly html: string
  readonly policy: string
}

export interface AppDocuments {
  /** Keeps a document for `host`, the origin of the page that shows it. Gives the word at the end of its address. */
  readonly add: (document: Pending) => string
  /** The document of such a word; null for one that is not there. */
  readonly document: (id: string) => Answer | null
  /** The page around it, which has `base` before the word. */
  readonly sandbox: (id: string, base: string) => Answer | null
}

interface Pending {
  readonly html: string
  readonly policy: AppPolicy.AppPolicy
  readonly host: string
  /** The origin of the page around it; null for none. */
  readonly sandbox: string | null
}

/** A frame fetches its document at once, and again when the browser restores a tab. */
const MOST_BYTES = 32_000_000
const MOST = 200

/** The oldest go where there are too many. */
export const make = (): AppDocuments => {
  const kept = new Map<string, Pending>()
  const size = () => [...kept.values()].reduce((sum, { html }) => sum + html.length, 0)
  return {
    add: (document) => {
      const id = randomBytes(24).toString("base64url")
      kept.set(id, document)
      for (const oldest of kept.keys()) {
        if (oldest === id || kept.size <= MOST && size() <= MOST_BYTES) break
        kept.delete(oldest)
      }
      return id
    },
    document: (id) => {
      const found = kept.get(id)
      if (found === undefined) return null
      const { host, html, policy, sandbox } = found
      return { html, policy: AppPolicy.header(policy, sandbox === null ? [host] : [sandbox, host]) }
    },
    sandbox: (id, base) => {
      const found = kept.get(id)
      return found === undefined || found.sandbox === null
        ? null
        : SandboxPage.make(found.host, `${base}/${id}/document`, allowOf(found.policy))
    }
  }
}

/** The `allow` of a frame of the document. */
export const allowOf = ({ clipboard }: AppPolicy.AppPolicy): string => clipboard ? "clipboard-write *" : ""
