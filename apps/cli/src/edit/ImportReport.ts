/** The report of an import: as JSON, and in words. */
import * as ImportDocuments from "@boocode/chat-server/ImportDocument"
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type { Options } from "../options/Options.ts"
import { oneLine, Output, pad, type Paint, plain } from "../terminal/Output.ts"

export interface Done extends ImportDocuments.Imported {
  /** Whether the command only shows what there is. */
  readonly isListing: boolean
}

export const report = Effect.fnUntraced(function*(options: Options, done: Done) {
  const output = yield* Output
  const document = ImportDocuments.importDocument(done)
  if (options.json) return yield* output.document(document)
  const { variables } = yield* Environment
  const title = (index: number) => done.planned[index]?.application?.title ?? null
  yield* output.lines([
    ...document.sources.flatMap((source, index) =>
      isApart(source, document) ? [] : sourceLines(source, title(index), output.paint, variables["HOME"] ?? null)
    ),
    ...document.sources.flatMap((source, index) => isApart(source, document) ? [apartLine(source, title(index))] : []),
    ...summary(document, done.isListing).map(output.paint.typed)
  ])
  yield* output.notes([
    ...document.warnings.map((warning) => `${output.notePaint.careful("warning")}  ${plain(warning)}`),
    ...document.hints.map((hint) => `${output.notePaint.dim("hint")}     ${plain(hint)}`)
  ])
})

type ImportDocument = ImportDocuments.ImportDocument
type Source = ImportDocument["sources"][number]
type Server = Source["servers"][number]
type Note = Server["notes"][number]

/** The name of an application brings in no servers of a project's files, except into a file of that project. */
const isApart = ({ application, scope }: Source, { target }: ImportDocument): boolean =>
  application !== null && scope === "project" && target.scope !== "project"

const apartLine = ({ error, file, servers, shape }: Source, title: string | null): string => {
  const what = error === null ? oneLine(servers.map(({ name }) => name).join(", "), 400) : "cannot be read"
  return `of this project: ${what} (${title ?? shape}); import it by naming the file ${oneLine(file, 400)}`
}

const sourceLines = (
  source: Source,
  title: string | null,
  paint: Paint,
  home: string | null
): ReadonlyArray<string> => [
  `${paint.bold(title ?? source.shape)}  ${oneLine(nearer(source.file, home), 400)}`,
  ...(source.error === null ? [] : [`  ${paint.bad("cannot be read")}  ${oneLine(source.error.message, 400)}`]),
  ...source.notes.map((note) => noteLine(note, paint)),
  ...source.servers.flatMap((server) => serverLines(server, paint))
]

const nearer = (file: string, home: string | null): string =>
  home !== null && home !== "" && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file

const serverLines = (server: Server, paint: Paint): ReadonlyArray<string> => {
  const colour = { added: paint.good, changed: paint.careful, unchanged: paint.dim, skipped: paint.dim }[server.outcome]
  const transport = server.transport === null ? "" : `  ${server.transport}${server.enabled ? "" : ", disabled"}`
  return [
    `  ${colour(pad(server.outcome, 9))}  ${oneLine(server.name)}${transport}${difference(server)}`,
    ...(server.written ? [`             ${programOf(server)}`] : []),
    ...server.notes.map((note) => noteLine(note, paint))
  ]
}

/** Shows the whole command: what is cut off might be what matters. */
const programOf = ({ args, command, hasHeadersHelper, url }: Server): string => {
  const helper = hasHeadersHelper ? ", and runs the program that headersHelper names" : ""
  if (command === null) return `talks to ${oneLine(hostOf(url ?? ""), 400)}${helper}`
  return `runs ${oneLine([command, ...args ?? []].map(quoted).join(" "), Number.POSITIVE_INFINITY)}`
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url

const quoted = (word: string): string => word === "" || /[\s"']/.test(word) ? JSON.stringify(word) : word

const difference = ({ differences, outcome, written }: Server): string => {
  if (outcome !== "changed") return ""
  const keys = oneLine(differences.join(", "), 200)
  return written ? `; replaces what differs in ${keys}` : `; stays as it is, differs in ${keys} (--force replaces it)`
}

const noteLine = ({ column, detail, key, line, matters }: Note, paint: Paint): string => {
  const text = `${line}:${column} ${oneLine(key, 200)}: ${oneLine(detail, 300)}`
  return `             ${matters ? text : paint.dim(text)}`
}

const summary = (document: ImportDocument, isListing: boolean): ReadonlyArray<string> => {
  const { isWritten, target } = document
  const sources = document.sources.filter((source) => !isApart(source, document))
  const where = `${oneLine(target.source, 400)} (${target.scope})`
  if (isListing && document.sources.length === 0) return ["no file of another application with servers was found"]
  if (isListing) {
    const ids = [...new Set(sources.flatMap(({ application }) => application ?? []))]
    if (ids.length === 0) return []
    return ["", `boocode mcp import NAME brings them into ${where}; NAME is one of ${ids.join(", ")}`]
  }
  const servers = sources.flatMap((source) => source.servers)
  const count = (outcome: Server["outcome"]) => servers.filter((server) => server.outcome === outcome).length
  const counts = OUTCOMES.flatMap((outcome) => count(outcome) === 0 ? [] : [`${count(outcome)} ${outcome}`])
  const approval = isWritten && target.scope === "project" ? "; they do not start until they are approved" : ""
  if (servers.length === 0) return ["there is no server in it"]
  return [`${counts.join(", ")}; ${isWritten ? `written to ${where}` : `nothing was written to ${where}`}${approval}`]
}

const OUTCOMES = ["added", "changed", "unchanged", "skipped"] as const
