/**
 * The MCP registry that servers are looked for in: over HTTP, or a folder of recorded answers. It is asked only when somebody
 * asks; an answer is kept in the data folder for when the registry cannot be reached.
 */
import { Environment } from "@boocode/mcp-config"
import { type Origin, RegistryAnswer } from "@boocode/mcp-config/Published"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { DataFolder } from "../settings/DataFolder.ts"
import { Settings } from "../settings/Settings.ts"
import { type RegistryFailure, RegistryUnreachable, UnknownPublished } from "./RegistryFailure.ts"
import * as RegistryFolder from "./RegistryFolder.ts"
import * as RegistryHttp from "./RegistryHttp.ts"
import type { Kept, Search } from "./RegistrySource.ts"

export class PublicRegistry extends Context.Service<PublicRegistry, {
  /** As a person would name it. */
  readonly address: string
  /** A page of the latest versions that fit. */
  readonly search: (search: Search) => Effect.Effect<Kept<RegistryAnswer.PublishedPage>, RegistryFailure>
  /** One version of a server; null is the latest. */
  readonly server: (
    name: string,
    version: string | null
  ) => Effect.Effect<Kept<RegistryAnswer.PublishedServer>, RegistryFailure>
  /** The latest version of a server as the registry answered last. Asks nobody; null where that is not known. */
  readonly known: (name: string) => Effect.Effect<RegistryAnswer.PublishedServer | null>
  /** The versions of a server, in the order of the registry. */
  readonly versions: (
    name: string
  ) => Effect.Effect<Kept<ReadonlyArray<RegistryAnswer.PublishedServer>>, RegistryFailure>
}>()("chat-server/PublicRegistry") {
  /** `given` is an address or `file:DIR`, which starts where the person stands; null takes that of the settings. */
  static readonly layer = (given: string | null = null) => Layer.effect(PublicRegistry, make(given))
}

const make = Effect.fnUntraced(function*(given: string | null) {
  const settings = yield* Settings
  const { folder } = yield* DataFolder
  const { variables } = yield* Environment
  const path = yield* Path.Path
  const address = given ?? settings.registry
  const from = given === null ? folder : variables["INIT_CWD"] ?? ""
  const source = address.startsWith("file:")
    ? yield* RegistryFolder.make(path.resolve(from, address.slice("file:".length).replace(/^\/\/(?=\/)/, "")))
    : yield* RegistryHttp.make(address, path.join(folder, ".registry"))
  const read = <A>(
    { answer, keptAt }: Kept<unknown>,
    decode: (answer: unknown) => Result.Result<A, RegistryAnswer.AnswerFault>
  ) =>
    Effect.fromResult(Result.mapBoth(decode(answer), {
      onSuccess: (value): Kept<A> => ({ answer: value, keptAt }),
      onFailure: ({ detail }) =>
        new RegistryUnreachable({
          message: `an answer of ${address} cannot be read: ${detail}`,
          hint: "check that this is the address of an MCP registry"
        })
    }))
  return PublicRegistry.of({
    address,
    search: (wanted) => Effect.flatMap(source.page(wanted), (kept) => read(kept, RegistryAnswer.page)),
    server: Effect.fnUntraced(function*(name, version) {
      if (!RegistryAnswer.isName(name)) return yield* noName(name)
      if (version !== null && !RegistryAnswer.isVersion(version)) return yield* noVersion(version)
      const found = yield* read(yield* source.version(name, version), RegistryAnswer.one)
      return isAsked(found.answer, { name, version }) ? found : yield* another(address, name)
    }),
    known: (name) =>
      source.known(name).pipe(
        Effect.flatMap((found) => found === null ? Effect.succeed(null) : read(found, RegistryAnswer.one)),
        Effect.map((found) => found?.answer.name === name ? found.answer : null),
        Effect.orElseSucceed(() => null)
      ),
    versions: Effect.fnUntraced(function*(name) {
      if (!RegistryAnswer.isName(name)) return yield* noName(name)
      const { answer, keptAt } = yield* read(yield* source.versions(name), RegistryAnswer.page)
      return { answer: answer.servers.filter((one) => one.name === name), keptAt }
    })
  })
})

/** A registry that answers with another server must not put it in the place of the one that was asked for. */
const isAsked = (
  { name, version }: RegistryAnswer.PublishedServer,
  asked: { readonly name: Origin.Origin["name"]; readonly version: string | null }
): boolean => name === asked.name && (asked.version === null || asked.version === version)

const another = (address: string, name: string) =>
  new RegistryUnreachable({
    message: `${address} was asked for ${name} and answers with another server or version`,
    hint: "nothing of the answer is used; ask another registry with --registry"
  })

const noName = (name: string) =>
  new UnknownPublished({
    message: `${JSON.stringify(name.slice(0, 200))} is no name of a published server`,
    hint: "such a name has an owner and a name: io.github.user/weather; look for one with boocode mcp discover WORDS",
    nearest: []
  })

const noVersion = (version: string) =>
  new UnknownPublished({
    message: `${JSON.stringify(version.slice(0, 100))} is no exact version`,
    hint: "give one version such as 1.2.3; without one the latest is taken",
    nearest: []
  })
