/** The rules of permissions: of a person's own file and of the files of a project, as they stand. */
import { ConfigFile, ConfigFiles, FileWatch } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { FileProblem } from "./FileProblem.ts"
import * as PermissionRule from "./PermissionRule.ts"
import type { Grant, SourcedRule } from "./PermissionRule.ts"
import type { Table } from "./PermissionTable.ts"
import * as PermissionText from "./PermissionText.ts"
import type { PermissionContent } from "./PermissionText.ts"

/** Where rules come from. */
export interface PermissionScopes {
  /** A person's own file: `permissions.jsonc` beside the data file. */
  readonly file: string
  /** A folder: `.boocode/permissions.jsonc` of it and of each folder above it, up to the repository root. Null for none. */
  readonly projectFrom: string | null
}

/** The rules as they stand. */
export class Permissions extends Context.Service<Permissions, {
  /** The content of each file, a person's own first. */
  readonly contents: Effect.Effect<ReadonlyArray<PermissionContent>>
  /** The contents as they stand, then those after each change. */
  readonly changes: Stream.Stream<ReadonlyArray<PermissionContent>>
  /** A person's own file, absolute. */
  readonly file: string
  /** Every file, absolute, those that are not there included. */
  readonly files: Effect.Effect<ReadonlyArray<string>>
  /**
   * Reads the files again. Where a file cannot be understood any more, its rules that deny and ask stay; see
   * `PermissionText` for the rest. Never fails.
   */
  readonly reload: Effect.Effect<void>
}>()("toolkit/Permissions") {
  /** The table of these files, of rules from elsewhere, and of grants. */
  static readonly tableOf = (
    contents: ReadonlyArray<PermissionContent>,
    rules: ReadonlyArray<SourcedRule> = [],
    grants: ReadonlyArray<Grant> = []
  ): Table => {
    const fault = contents.find((content) => content.fault !== null)?.fault ?? null
    return {
      write: contents.find((content) => content.write !== null)?.write ?? "off",
      rules: [...contents.flatMap((content) => content.rules), ...rules],
      grants,
      fault: fault === null ? null : `${fault.message}; until that is corrected, every call asks`
    }
  }

  /** Reads the files once. The log has a warning for each problem. */
  static readonly layer = (
    scopes: PermissionScopes
  ): Layer.Layer<Permissions, never, FileSystem.FileSystem | Path.Path> => Layer.effect(Permissions, make(scopes))

  /** Follows the files: a change is taken within two and a half seconds. */
  static readonly watchLayer: Layer.Layer<never, never, Permissions | FileSystem.FileSystem | Path.Path> = Layer
    .effectDiscard(Effect.flatMap(
      Permissions,
      ({ files, reload }) => Effect.forkScoped(FileWatch.run({ files, onChange: reload }))
    ))

  /** These texts: a person's own file, and files of a project. */
  static readonly layerTest = (user: string, ...project: ReadonlyArray<string>): Layer.Layer<Permissions> =>
    Layer.succeed(
      Permissions,
      fixed([
        PermissionText.read(user, "permissions.jsonc", "user"),
        ...project.map((text) => PermissionText.read(text, ".boocode/permissions.jsonc", "project"))
      ])
    )
}

const fixed = (contents: ReadonlyArray<PermissionContent>) =>
  Permissions.of({
    contents: Effect.succeed(contents),
    changes: Stream.make(contents),
    file: "/permissions.jsonc",
    files: Effect.succeed([]),
    reload: Effect.void
  })

interface Candidate {
  readonly path: string
  readonly name: string
  readonly owner: PermissionText.Owner
}

const make = Effect.fnUntraced(function*(scopes: PermissionScopes) {
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const turn = yield* Semaphore.make(1)
  const file = (yield* Path.Path).resolve(scopes.file)
  const candidates = Effect.provideContext(candidatesOf(scopes), needs)
  const contents = yield* SubscriptionRef.make<ReadonlyArray<PermissionContent>>([])
  const read = Effect.flatMap(candidates, (all) => Effect.forEach(all, contentOf))
  const reload = Effect.gen(function*() {
    const before = yield* SubscriptionRef.get(contents)
    const first = yield* read
    // A save may be a deletion and a renaming: for a moment nothing would be denied.
    const isGone = first.some((now) => !now.isThere && of(before, now.file)?.isThere === true)
    const now = isGone ? yield* Effect.delay(read, SECOND_LOOK) : first
    const kept = now.map((content) => keeping(content, of(before, content.file)))
    yield* tell(before, kept)
    yield* SubscriptionRef.set(contents, kept)
  })
  const service = Permissions.of({
    contents: SubscriptionRef.get(contents),
    changes: SubscriptionRef.changes(contents),
    file,
    files: Effect.map(candidates, (all) => all.map(({ path }) => path)),
    reload: turn.withPermit(Effect.provideContext(reload, needs))
  })
  yield* service.reload
  return service
})

const SECOND_LOOK = "500 millis"

const of = (contents: ReadonlyArray<PermissionContent>, file: string): PermissionContent | undefined =>
  contents.find((content) => content.file === file)

/** A mistake in a file must not take away what it denied before. */
const keeping = (now: PermissionContent, before: PermissionContent | undefined): PermissionContent => {
  if (now.fault === null || before === undefined) return now
  const known = new Set(now.rules.map(wordsOf))
  const kept = before.rules.filter((rule) => rule.outcome !== "allow" && !known.has(wordsOf(rule)))
  return { ...now, rules: [...now.rules, ...kept] }
}

const wordsOf = (rule: SourcedRule): string => JSON.stringify({ ...PermissionRule.toJson(rule), source: null })

const tell = Effect.fnUntraced(function*(
  before: ReadonlyArray<PermissionContent>,
  now: ReadonlyArray<PermissionContent>
) {
  const told = new Set(before.flatMap(({ problems }) => problems.map(({ message }) => message)))
  for (const { hint, message } of now.flatMap(({ problems }) => problems)) {
    if (!told.has(message)) yield* Effect.logWarning(`${message}; ${hint}`)
  }
})

const PROJECT_FILE = [".boocode", "permissions.jsonc"] as const

const candidatesOf = Effect.fnUntraced(function*({ file, projectFrom }: PermissionScopes) {
  const path = yield* Path.Path
  const own = path.resolve(file)
  const folders = projectFrom === null ? [] : yield* ConfigFiles.projectFolders(path.resolve(projectFrom))
  const projects = folders.map((folder) => path.join(folder, ...PROJECT_FILE)).filter((one) => one !== own)
  const nameOf = (one: string) => {
    const near = path.relative(path.resolve("."), one)
    return near.startsWith("..") || path.isAbsolute(near) ? one : near
  }
  return [
    { path: own, name: file, owner: "user" },
    ...projects.map((one) => ({ path: one, name: nameOf(one), owner: "project" as const }))
  ] satisfies ReadonlyArray<Candidate>
})

const contentOf = ({ name, owner, path }: Candidate) =>
  Effect.match(ConfigFile.readText(path), {
    onSuccess: (text) => PermissionText.read(text, name, owner),
    onFailure: (cause) => {
      const error = ConfigFile.unreadable({ name }, cause)
      if (error === null) return PermissionText.absent(name, owner)
      const { column, detail, hint, line } = error
      return PermissionText.unusable(
        new FileProblem({ file: name, line, column, key: null, detail, hint }),
        owner
      )
    }
  })
