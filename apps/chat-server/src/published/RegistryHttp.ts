/** A registry over HTTP (API v0.1), each request with limits, and its answers kept for when it cannot be reached. */
import { Hash } from "@boocode/mcp-client/Text"
import { JsonObjectText } from "@boocode/mcp-config"
import { McpFetch } from "@boocode/mcp-registry"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as PrivateFile from "../settings/PrivateFile.ts"
import { RegistryUnreachable, UnknownPublished } from "./RegistryFailure.ts"
import type { Kept, Source } from "./RegistrySource.ts"

const PATIENCE = "20 seconds"
const MOST_BYTES = 8_000_000
const PAGE = 30
/** So many answers are kept; the oldest goes first. */
const MOST_KEPT = 200

export const make = Effect.fnUntraced(function*(address: string, folder: string) {
  const { fetch } = yield* McpFetch
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const base = address.replace(/\/+$/, "").replace(/\/v0(?:\.1)?(?:\/servers)?$/, "")
  const asked = (what: string, path: string) =>
    answerOf(`${base}/v0.1${path}`, what, folder).pipe(
      Effect.provide(FetchHttpClient.layer),
      Effect.provideService(FetchHttpClient.Fetch, fetch),
      Effect.provideContext(needs)
    )
  const addressOf = (name: string, version: string) =>
    `/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`
  return {
    known: (name) => {
      const url = `${base}/v0.1${addressOf(name, "latest")}`
      return Effect.flatMap(fileOf(folder, url), (file) => kept(file, url)).pipe(
        Effect.orElseSucceed(() => null),
        Effect.provideContext(needs)
      )
    },
    page: ({ cursor, search }) => {
      const query = new URLSearchParams({ version: "latest", limit: String(PAGE) })
      if (search !== "") query.set("search", search)
      if (cursor !== null) query.set("cursor", cursor)
      return asked("servers", `/servers?${query.toString()}`)
    },
    version: (name, version) =>
      asked(
        version === null ? name : `${name} ${version}`,
        addressOf(name, version ?? "latest")
      ),
    versions: (name) => asked(name, `/servers/${encodeURIComponent(name)}/versions`)
  } satisfies Source
})

const fileOf = (folder: string, url: string) =>
  Effect.map(Path.Path, (path) => path.join(folder, `${Hash.short(url)}.json`))

/** The answer of now, else the kept one; its time says which. Fails where there is neither. */
const answerOf = Effect.fnUntraced(function*(url: string, what: string, folder: string) {
  const file = yield* fileOf(folder, url)
  return yield* asked(url, what).pipe(
    Effect.tap((answer) => Effect.ignore(keep(folder, file, url, answer))),
    Effect.map((answer): Kept<unknown> => ({ answer, keptAt: null })),
    Effect.catchTag("RegistryUnreachable", (error) => Effect.mapError(kept(file, url), () => error))
  )
})

const asked = Effect.fnUntraced(
  function*(url: string, what: string) {
    const response = yield* HttpClient.get(url, { headers: { accept: "application/json" } })
    if (response.status === 404) return yield* unknown(what, url)
    if (response.status !== 200) return yield* unreachable(url, `it answers with the status ${response.status}`)
    const text = yield* bounded(response.stream, url)
    const read = JsonObjectText.read(text)
    return Result.isSuccess(read)
      ? read.success
      : yield* unreachable(url, `its answer is no JSON: ${read.failure.detail}`)
  },
  (effect, url) =>
    effect.pipe(
      Effect.timeoutOrElse({
        duration: PATIENCE,
        orElse: () => Effect.fail(unreachable(url, `it did not answer within ${PATIENCE}`))
      }),
      Effect.catchTag("HttpClientError", (error) => Effect.fail(unreachable(url, "it cannot be reached", error)))
    )
)

const bounded = <E>(bytes: Stream.Stream<Uint8Array, E>, url: string) =>
  Effect.suspend(() => {
    let size = 0
    return bytes.pipe(
      Stream.tap((chunk) => {
        size += chunk.byteLength
        return size > MOST_BYTES
          ? Effect.fail(unreachable(url, `its answer is longer than ${MOST_BYTES} bytes`))
          : Effect.void
      }),
      Stream.decodeText(),
      Stream.mkString
    )
  })

const unreachable = (url: string, why: string, cause?: unknown) =>
  new RegistryUnreachable({
    message: `the registry at ${URL.parse(url)?.origin ?? url}: ${why}`,
    hint: "check the network and \"registry\" in settings.json; file:DIR reads recorded answers",
    ...(cause === undefined ? {} : { cause })
  })

const unknown = (what: string, url: string) =>
  new UnknownPublished({
    message: `the registry at ${URL.parse(url)?.origin ?? url} has no ${what}`,
    hint: "look for it with boocode mcp discover WORDS",
    nearest: []
  })

const keep = Effect.fnUntraced(function*(folder: string, file: string, url: string, answer: Schema.JsonObject) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const at = DateTime.formatIso(yield* DateTime.now)
  yield* PrivateFile.write(file, JSON.stringify({ url, at, answer }))
  const names = yield* fs.readDirectory(folder)
  if (names.length <= MOST_KEPT) return
  const aged = yield* Effect.forEach(names, (name) => {
    const one = path.join(folder, name)
    return Effect.map(fs.stat(one), ({ mtime }) => [one, mtime._tag === "Some" ? mtime.value.getTime() : 0] as const)
  })
  const oldest = aged.toSorted(([, one], [, other]) => one - other).slice(0, names.length - MOST_KEPT)
  yield* Effect.forEach(oldest, ([one]) => fs.remove(one), { discard: true })
})

const kept = Effect.fnUntraced(function*(file: string, url: string) {
  const text = yield* PrivateFile.read(file)
  const read = Result.getOrNull(JsonObjectText.read(text ?? ""))
  if (read === null || read["url"] !== url || typeof read["at"] !== "string") return yield* Effect.fail(null)
  return { answer: read["answer"], keptAt: read["at"] } satisfies Kept<unknown>
})
