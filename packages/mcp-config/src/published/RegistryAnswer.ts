/** The answers of an MCP registry (API v0.1): a page of servers, or one version of one server. Other keys are not read. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as ServerName from "../model/ServerName.ts"
import * as Candidate from "./Candidate.ts"

/** One version of a server, as its publisher describes it. Texts for people hold no line breaks and no marks of direction. */
export interface PublishedServer {
  /** Reverse DNS and a name: `io.github.user/weather`. */
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly version: string
  /** The part of the name whose owner the registry has checked. */
  readonly publisher: string
  readonly status: "active" | "deprecated" | "deleted"
  readonly statusMessage: string | null
  readonly publishedAt: string | null
  readonly isLatest: boolean | null
  /** http or https; null for any other address. */
  readonly repository: string | null
  readonly website: string | null
  /** The ways to install it, in the order of the document; those that cannot be used say why. */
  readonly candidates: ReadonlyArray<Candidate.Candidate>
}

/** A page of servers. */
export interface PublishedPage {
  readonly servers: ReadonlyArray<PublishedServer>
  /** Null on the last page. */
  readonly nextCursor: string | null
  /** Servers that cannot be read, one sentence each. */
  readonly problems: ReadonlyArray<string>
}

/** Why an answer cannot be read. */
export interface AnswerFault {
  readonly detail: string
}

const NAME = /^[a-zA-Z0-9.-]{1,150}\/[a-zA-Z0-9._-]{1,100}$/

/** Whether a text is the name of a published server. */
export const isName = (text: string): boolean => NAME.test(text)

/** One version and no range: what a range means changes without anybody's doing. */
const VERSION = /^(?!latest$)[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$/i

/** Whether a text is one version, no range and not `latest`. */
export const isVersion = (text: string): boolean => VERSION.test(text) && !/(?:^|\.)[xX*](?:\.|$)/.test(text)

const OFFICIAL = "io.modelcontextprotocol.registry/official"
const MOST_SERVERS = 1000
const MOST_WAYS = 50

const text = (most: number) => Schema.String.check(Schema.isMaxLength(most))
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Ways = optional(Schema.Array(Schema.Unknown).check(Schema.isMaxLength(MOST_WAYS)))

const Server = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(NAME)),
  title: optional(text(300)),
  description: optional(text(2000)),
  version: Schema.String.check(Schema.makeFilter(isVersion)),
  repository: optional(Schema.Struct({ url: optional(text(2000)) })),
  websiteUrl: optional(text(2000)),
  packages: Ways,
  remotes: Ways
})

const Official = Schema.Struct({
  status: optional(Schema.Literals(["active", "deprecated", "deleted"])),
  statusMessage: optional(text(2000)),
  publishedAt: optional(text(100)),
  isLatest: optional(Schema.Boolean)
})

const Wrapped = Schema.Struct({
  server: Server,
  _meta: optional(Schema.Struct({ [OFFICIAL]: optional(Official) }))
})

const Page = Schema.Struct({
  servers: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(MOST_SERVERS)),
  metadata: optional(Schema.Struct({ nextCursor: optional(text(2000)) }))
})

const decodePage = Schema.decodeUnknownResult(Page)
const decodeWrapped = Schema.decodeUnknownResult(Wrapped)

/** Reads a page. A server that cannot be read is a problem; the others stay. */
export const page = (answer: unknown): Result.Result<PublishedPage, AnswerFault> =>
  Result.mapBoth(decodePage(answer), {
    onFailure: faultOf,
    onSuccess: ({ metadata, servers }) => {
      const read = servers.map(one)
      return {
        servers: read.flatMap((each) => Result.isSuccess(each) ? [each.success] : []),
        nextCursor: metadata?.nextCursor || null,
        problems: read.flatMap((each, at) =>
          Result.isFailure(each) ? [`server ${at + 1}${nameIn(servers[at])}: ${each.failure.detail}`] : []
        )
      }
    }
  })

/** Reads one version: `{ server, _meta }`, or a bare server.json. */
export const one = (answer: unknown): Result.Result<PublishedServer, AnswerFault> =>
  Result.mapBoth(decodeWrapped(isBare(answer) ? { server: answer } : answer), {
    onFailure: faultOf,
    onSuccess: ({ _meta, server }) => published(server, _meta?.[OFFICIAL] ?? {})
  })

const isBare = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && !("server" in answer) && "name" in answer

const nameIn = (answer: unknown): string => {
  const named = Schema.decodeUnknownResult(Schema.Struct({ server: Schema.Struct({ name: text(300) }) }))(answer)
  return Result.isSuccess(named) ? ` (${ServerName.shown(named.success.server.name)})` : ""
}

const faultOf = ({ issue }: Schema.SchemaError): AnswerFault => {
  const [first] = SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues
  const path = (first?.path ?? []).map(String).join(".")
  const message = (first?.message ?? "cannot be read").replace(/\s+/g, " ")
  return { detail: ServerName.shown(path === "" ? message : `${path}: ${message}`).slice(0, 300) }
}

const published = (server: typeof Server.Type, official: typeof Official.Type): PublishedServer => {
  const ways = { version: server.version, remotes: server.remotes ?? [], packages: server.packages ?? [] }
  return {
    name: server.name,
    title: shownOrNull(server.title),
    description: shownOrNull(server.description) ?? "",
    version: server.version,
    publisher: server.name.split("/")[0] ?? "",
    status: official.status ?? "active",
    statusMessage: shownOrNull(official.statusMessage),
    publishedAt: shownOrNull(official.publishedAt),
    isLatest: official.isLatest ?? null,
    repository: address(server.repository?.url),
    website: address(server.websiteUrl),
    candidates: Candidate.all(ways)
  }
}

const shownOrNull = (given: string | null | undefined): string | null =>
  given === null || given === undefined || given.trim() === ""
    ? null
    : ServerName.shown(given.replace(/\s+/g, " ").trim())

/** Pages show it as a link. */
const address = (given: string | null | undefined): string | null =>
  typeof given === "string" && /^https?:$/.test(URL.parse(given)?.protocol ?? "") && ServerName.isPlain(given)
    ? given
    : null
