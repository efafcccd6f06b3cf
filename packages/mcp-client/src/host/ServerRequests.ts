/** Requests of servers to the host: elicitation, sampling and roots. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** The server that asks. */
export interface Asking {
  readonly server: string
  /** False for a server of a project file. */
  readonly isTrusted: boolean
  /** The name that the server gives its question; absent before 2026-07-28. */
  readonly key?: string
}

/** A form for a person to fill in (elicitation, mode `form`). */
export interface FormRequest extends Asking {
  readonly kind: "form"
  readonly message: string
  /** A flat object schema of texts, numbers, booleans and choices, defaults included, as the server wrote it. */
  readonly schema: Schema.JsonObject
}

/** An address that a person is to visit (elicitation, mode `url`). It is shown whole, and never fetched. */
export interface UrlRequest extends Asking {
  readonly kind: "url"
  readonly message: string
  readonly url: string
}

export type Elicitation = FormRequest | UrlRequest

/** The person's answer; `cancel` when nobody decided. The content fits the schema of a form. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content: Schema.JsonObject | null }
  | { readonly action: "decline" | "cancel" }

/** A server's request to the host's model (sampling). */
export interface SamplingRequest extends Asking {
  /** As the server wrote them: `role`, and `content` of text, image or audio, one or a list. */
  readonly messages: ReadonlyArray<Schema.JsonObject>
  readonly systemPrompt: string | null
  readonly maxTokens: number
  readonly temperature: number | null
  readonly stopSequences: ReadonlyArray<string>
  /** Hints at a model, and priorities of cost, speed and intelligence; a wish and no more. */
  readonly modelPreferences: Schema.JsonObject
}

export interface SamplingAnswer {
  readonly model: string
  readonly text: string
  readonly stopReason: "endTurn" | "stopSequence" | "maxTokens"
}

/** The model was not asked, or did not answer. The server reads `message`. */
export class SamplingRefused extends Data.TaggedError("SamplingRefused")<{
  readonly message: string
  /** True where a person said no. */
  readonly isRejected: boolean
}> {}

/** Answers a server's requests: for one call, or for all that belong to no call in particular. */
export interface Asker {
  /** Answers in its own time, with a limit of its own; a limit that passes is `cancel`. Interrupted when the request is. */
  readonly elicit: (request: Elicitation) => Effect.Effect<ElicitationAnswer>
  readonly sample: (request: SamplingRequest) => Effect.Effect<SamplingAnswer, SamplingRefused>
  /**
   * Answers questions that may belong to any of several calls in flight whose askers all name this one, for instance
   * those of one turn. Before 2026-07-28 a server does not always say which call it asks about.
   */
  readonly shared?: Asker
  /** The folders of the caller, in place of the host's; an entry that names its own goes before both. */
  readonly roots?: Effect.Effect<ReadonlyArray<Root>>
  /** The people who see its questions: askers with one audience may show each other's questions. */
  readonly audience?: string
}

/** A folder that servers may work in. */
export interface Root {
  /** A `file:` URI. */
  readonly uri: string
  readonly name: string | null
}

/** Says no to everything. */
export const nobody: Asker = {
  elicit: () => Effect.succeed({ action: "cancel" }),
  sample: () => Effect.fail(new SamplingRefused({ message: "there is no model to ask", isRejected: false }))
}

/** The host's answers to servers. A capability that it does not name is not advertised, so that no server asks (R56). */
export class ServerRequests extends Context.Reference<{
  /** The ways in which a person can be asked; none advertises no elicitation. */
  readonly elicitation: ReadonlyArray<Elicitation["kind"]>
  /** Whether a model can be asked. */
  readonly sampling: boolean
  /** Whether the host shows apps of servers (MCP Apps). Default: false. */
  readonly apps?: boolean
  /** Answers what belongs to no call, or to one whose caller brought no `asker`. */
  readonly asker: Asker
  /** The folders of which an entry that does not name its own tells its server, and when they change. */
  readonly roots: { readonly current: Effect.Effect<ReadonlyArray<Root>>; readonly changes: Stream.Stream<void> }
}>("mcp-client/ServerRequests", {
  defaultValue: () => ({
    elicitation: [],
    sampling: false,
    asker: nobody,
    roots: { current: Effect.succeed([]), changes: Stream.empty }
  })
}) {}

/** The host as one connection sees it. */
export interface ServerHost {
  readonly asking: Asking
  readonly elicitation: ReadonlyArray<Elicitation["kind"]>
  readonly sampling: boolean
  readonly apps?: boolean
  readonly asker: Asker
  /** The folders of this server, and when they become others; null where it is told of none. */
  readonly roots: {
    readonly current: Effect.Effect<ReadonlyArray<Root>>
    readonly changes: Stream.Stream<void>
    /** Whether the entry leaves them to the caller, who may have some. */
    readonly areCallers?: Effect.Effect<boolean>
  } | null
}

/** The host of the server that a fiber works for; one that answers nothing where none is given. */
export const CurrentHost: Context.Reference<ServerHost> = Context.Reference("mcp-client/ServerHost", {
  defaultValue: (): ServerHost => ({
    asking: { server: "", isTrusted: false },
    elicitation: [],
    sampling: false,
    asker: nobody,
    roots: null
  })
})

/**
 * The capabilities of the host, as a server is told of them: exactly those that are answered (R56). Since 2026-07-28
 * nobody tells servers that the folders changed: they ask with each request that needs them.
 */
export const hostCapabilities = (
  { apps = false, elicitation, roots, sampling }: ServerHost,
  era: "legacy" | "modern"
): Schema.JsonObject => ({
  ...(elicitation.length === 0 ? {} : { elicitation: Object.fromEntries(elicitation.map((mode) => [mode, {}])) }),
  ...(sampling ? { sampling: {} } : {}),
  ...(roots === null ? {} : { roots: era === "modern" ? {} : { listChanged: true } }),
  ...(apps ? { extensions: { [APPS]: { mimeTypes: [APP_TYPE] } } } : {})
})

/** The extension with which servers bring apps (MCP Apps). */
export const APPS = "io.modelcontextprotocol/ui"

/** The media type of an app's document. */
export const APP_TYPE = "text/html;profile=mcp-app"
