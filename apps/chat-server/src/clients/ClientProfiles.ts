/** The profiles of gateway.jsonc, as they stand: what the MCP clients of this server are offered. */
import { ConfigFile, FileWatch, Nearest } from "@boocode/mcp-config"
import { Profile } from "@boocode/mcp-gateway"
import { FileProblem } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PubSub from "effect/PubSub"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { DataFolder } from "../settings/DataFolder.ts"
import * as ProfileText from "./ProfileText.ts"

/** The profile of `/mcp`, which is there whatever the file says. */
export const DEFAULT = "default"

export class ClientProfiles extends Context.Service<ClientProfiles, {
  /** `gateway.jsonc` beside the data file. */
  readonly file: string
  /** The profile of a name; the reason, in words for people, why there is none. Answers at once. */
  readonly get: (name: string) => Effect.Effect<Profile.Profile, UnknownProfile>
  /** Every profile by its name, `default` first. */
  readonly all: Effect.Effect<ReadonlyMap<string, Profile.Profile>>
  readonly problems: Effect.Effect<ReadonlyArray<FileProblem>>
  /**
   * Reads the file again. A profile that cannot be understood any more stays as it was; one that never could is refused.
   * Never fails.
   */
  readonly reload: Effect.Effect<void>
  /** The names of the profiles that say something else than before, whenever some do. */
  readonly changed: Stream.Stream<ReadonlySet<string>>
}>()("chat-server/ClientProfiles") {
  /** Reads the file once. The log has a warning for each problem. */
  static readonly layer: Layer.Layer<ClientProfiles, never, DataFolder | FileSystem.FileSystem | Path.Path> = Layer
    .effect(
      ClientProfiles,
      Effect.gen(function*() {
        const path = yield* Path.Path
        const { configFile, dataFile } = yield* DataFolder
        return yield* make(path.join(path.dirname(configFile ?? dataFile), "gateway.jsonc"))
      })
    )

  /** Follows the file: a change is taken within two and a half seconds. */
  static readonly watchLayer: Layer.Layer<never, never, ClientProfiles | FileSystem.FileSystem | Path.Path> = Layer
    .effectDiscard(Effect.flatMap(
      ClientProfiles,
      ({ file, reload }) => Effect.forkScoped(FileWatch.run({ files: Effect.succeed([file]), onChange: reload }))
    ))
}

/** No profile has this name, or its text cannot be understood. */
export class UnknownProfile extends Data.TaggedError("UnknownProfile")<{
  readonly name: string
  readonly nearest: ReadonlyArray<string>
  readonly message: string
  readonly hint: string
}> {}

interface State {
  readonly content: ProfileText.ProfileContent
  /** Those that can be used, in an earlier form where the file has a mistake now. */
  readonly profiles: ReadonlyMap<string, Profile.Profile>
  /** Those and the one that is there whatever the file says. Each request of a client asks for one of them. */
  readonly usable: ReadonlyMap<string, Profile.Profile>
}

const make = Effect.fnUntraced(function*(file: string) {
  const needs = yield* Effect.context<FileSystem.FileSystem>()
  const news = yield* PubSub.unbounded<ReadonlySet<string>>()
  const state = yield* Ref.make(stateOf(ProfileText.ABSENT, new Map()))
  const reload = Effect.gen(function*() {
    const content = yield* read(file)
    const before = yield* Ref.get(state)
    const told = new Set(before.content.problems.map(({ message }) => message))
    for (const { hint, message } of content.problems) {
      if (!told.has(message)) yield* Effect.logWarning(`${message}; ${hint}`)
    }
    const kept = [...before.profiles].filter(([name]) => content.broken?.includes(name) ?? true)
    const now = stateOf(content, new Map([...kept, ...content.profiles]))
    yield* Ref.set(state, now)
    const changed = differing(before.usable, now.usable)
    if (changed.size > 0) yield* PubSub.publish(news, changed)
  }).pipe(Effect.provideContext(needs))
  yield* reload
  return ClientProfiles.of({
    file,
    reload,
    changed: Stream.fromPubSub(news),
    problems: Effect.map(Ref.get(state), ({ content }) => content.problems),
    all: Effect.map(Ref.get(state), ({ usable }) => usable),
    get: (name) =>
      Effect.flatMap(Ref.get(state), (now) => {
        const found = now.usable.get(name)
        return found === undefined ? new UnknownProfile(reason(name, now, file)) : Effect.succeed(found)
      })
  })
})

/** A mistake in the file does not open what it may have closed. */
const stateOf = (content: ProfileText.ProfileContent, profiles: State["profiles"]): State => ({
  content,
  profiles,
  usable: profiles.has(DEFAULT) || content.broken === null || content.broken.includes(DEFAULT)
    ? profiles
    : new Map([[DEFAULT, Profile.standard], ...profiles])
})

type Profiles = ReadonlyMap<string, Profile.Profile>

const differing = (one: Profiles, other: Profiles): ReadonlySet<string> =>
  new Set(
    [...one.keys(), ...other.keys()].filter((name) => JSON.stringify(one.get(name)) !== JSON.stringify(other.get(name)))
  )

const reason = (name: string, { content, profiles }: State, file: string) => {
  const problem = content.problems.find(({ key }) => key === null || key.startsWith(`profiles.${name}`)) ??
    (content.broken === null ? content.problems[0] : undefined)
  const nearest = Nearest.nearest(name, [DEFAULT, ...profiles.keys()])
  return problem === undefined
    ? {
      name,
      nearest,
      message: `there is no profile ${name} in ${file}`,
      hint: nearest[0] === undefined ? "write it into that file, or use default" : `did you mean ${nearest[0]}?`
    }
    : { name, nearest, message: problem.message, hint: problem.hint }
}

const read = (file: string) =>
  Effect.match(ConfigFile.readText(file), {
    onSuccess: (text) => ProfileText.read(text, file),
    onFailure: (cause) => {
      const error = ConfigFile.unreadable({ name: file }, cause)
      if (error === null) return ProfileText.ABSENT
      const { column, detail, hint, line } = error
      return ProfileText.unusable(new FileProblem({ file, line, column, key: null, detail, hint }))
    }
  })
