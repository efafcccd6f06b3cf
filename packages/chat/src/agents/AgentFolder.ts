/** The files that agents are written in: AGENTS.md, and those of the folder `agents` beside it. */
import { OrdinaryFile } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { Agent, AgentProblem } from "./Agent.ts"
import * as AgentFile from "./AgentFile.ts"

const FOLDER = "agents"

const AT_ONCE = 32

/** A file that changed within so many milliseconds may change once more and look the same: its clock may be coarse. */
const RECENT_MILLIS = 3000

/**
 * Reads all of them: AGENTS.md first, then the folder's by name. The first of two agents with one name holds. A mistake
 * in one file is a problem that names it, and hurts no other. A file that looks as it did when it was read is not read
 * again.
 */
export const reader = (agentsFile: string) => {
  let last = { known: new Map<string, Known>(), all: NOTHING }
  return Effect.gen(function*() {
    const path = yield* Path.Path
    const { known } = last
    const root = path.dirname(agentsFile)
    const { files, problems } = yield* listed(path.join(root, FOLDER))
    const readings = [
      unlessKnown(known, agentsFile, parsed(OrdinaryFile.read(agentsFile), agentsFile, null)),
      ...files.map((file) => unlessKnown(known, file, parsed(readInside(root, file), file, nameOf(path, file))))
    ]
    const found = yield* Effect.all(readings, { concurrency: AT_ONCE })
    const isSame = found.length === known.size && found.every((one) => known.get(one.file)?.agents === one.agents)
    const all = isSame ? last.all : joined(found.map(({ agents }) => agents))
    last = { known: new Map(found.map((one) => [one.file, one])), all }
    return { agents: all.agents, problems: [...all.problems, ...problems] }
  })
}

interface Known {
  readonly file: string
  /** Null where a change might not show, and where the file could not be read. */
  readonly print: string | null
  readonly agents: AgentFile.ParsedAgents
}

const unlessKnown = Effect.fnUntraced(function*<R>(
  known: ReadonlyMap<string, Known>,
  file: string,
  read: Effect.Effect<AgentFile.ParsedAgents, AgentProblem, R>
) {
  const print = yield* printOf(file)
  const before = known.get(file)
  if (before !== undefined && print !== null && before.print === print) return before
  return yield* Effect.match(read, {
    onSuccess: (agents): Known => ({ file, print, agents }),
    onFailure: (problem): Known => ({ file, print: null, agents: { agents: [], problems: [problem] } })
  })
})

const printOf = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.orElseSucceed(fs.stat(file), () => null)
  const changed = info === null ? null : Option.getOrNull(info.mtime)
  if (info === null || changed === null) return null
  const now = yield* Clock.currentTimeMillis
  return Math.abs(now - changed.getTime()) < RECENT_MILLIS
    ? null
    : `${info.dev}:${Option.getOrNull(info.ino)} ${info.size} ${changed.getTime()}`
})

/** The paths to watch: the files, and the folder for new ones. */
export const watched = Effect.fnUntraced(function*(agentsFile: string) {
  const path = yield* Path.Path
  const folder = path.join(path.dirname(agentsFile), FOLDER)
  const { files } = yield* listed(folder)
  // The watch is on the folders of files; the last path keeps an empty folder among them.
  return [agentsFile, folder, ...files, path.join(folder, ".")]
})

/** The path of a file of the folder, by its name without `.md`. */
export const fileOf = Effect.fnUntraced(function*(agentsFile: string, fileName: string) {
  const path = yield* Path.Path
  return path.join(path.dirname(agentsFile), FOLDER, `${fileName}.md`)
})

/** The name that the first agent of a file may leave out; null for AGENTS.md, where each needs one. */
export const fileNameOf = (agentsFile: string, file: string) =>
  Effect.map(Path.Path, (path) => file === agentsFile ? null : nameOf(path, file))

const listed = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return yield* fs.readDirectory(folder).pipe(
    Effect.map((names) => ({
      files: names.filter((name) => /^[^.].*\.md$/i.test(name) && !/^readme\.md$/i.test(name)).sort()
        .map((name) => path.join(folder, name)),
      problems: []
    })),
    Effect.catchIf(OrdinaryFile.isAbsent, () => Effect.succeed({ files: [], problems: [] })),
    Effect.catch((error) => Effect.succeed({ files: [], problems: [unreadable(folder, error.message)] }))
  )
})

const nameOf = (path: Path.Path, file: string): string => path.basename(file).replace(/\.md$/i, "")

/** A link must not show agents, and through them a model, what lies elsewhere. */
const readInside = Effect.fnUntraced(function*(root: string, file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* fs.realPath(file)
  const inside = path.relative(yield* fs.realPath(root), real)
  const isOutside = inside === ".." || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)
  return isOutside
    ? yield* Effect.fail("it is a link that leads out of the data folder")
    : yield* OrdinaryFile.read(real)
})

const parsed = <R>(
  reading: Effect.Effect<OrdinaryFile.Read, string | { readonly message: string }, R>,
  file: string,
  fileName: string | null
): Effect.Effect<AgentFile.ParsedAgents, AgentProblem, R> =>
  reading.pipe(
    Effect.map(({ text }) => text === null ? NOTHING : AgentFile.parse(text, file, fileName)),
    Effect.mapError((error) => unreadable(file, typeof error === "string" ? error : error.message, fileName))
  )

const NOTHING: AgentFile.ParsedAgents = { agents: [], problems: [] }

const unreadable = (file: string, words: string, name: string | null = null): AgentProblem => ({
  name,
  file,
  line: 1,
  message: `cannot be read: ${words}`
})

const joined = (files: ReadonlyArray<AgentFile.ParsedAgents>): AgentFile.ParsedAgents => {
  const agents = new Map<string, Agent>()
  const problems: Array<AgentProblem> = []
  for (const { agents: some, problems: wrong } of files) {
    problems.push(...wrong)
    for (const agent of some) {
      const first = agents.get(agent.name)
      if (first === undefined) agents.set(agent.name, agent)
      else {
        const message = AgentFile.taken(`${first.file}:${first.line}`, agent.name)
        problems.push({ name: agent.name, file: agent.file ?? "", line: agent.line ?? 1, message })
      }
    }
  }
  return { agents: [...agents.values()], problems }
}
