/**
 * The files that agents are written in: AGENTS.md, and those of the folder `agents` beside it.
 */
import { OrdinaryFile } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as AgentFile from "./AgentFile.ts"
import type { Agent, AgentProblem } from "./Agents.ts"

const FOLDER = "agents"

/**
 * Reads all of them: AGENTS.md first, then the folder's by name. Of two agents with one name the first holds. What is
 * wrong with one file is a problem that names it, and hurts no other.
 *
 * @category constructors
 */
export const read = Effect.fnUntraced(function*(agentsFile: string) {
  const path = yield* Path.Path
  const root = path.dirname(agentsFile)
  const main = yield* parsed(OrdinaryFile.read(agentsFile), agentsFile, null)
  const { files, problems } = yield* listed(path.join(root, FOLDER))
  const others = yield* Effect.forEach(files, (file) => parsed(readInside(root, file), file, nameOf(path, file)))
  const all = joined([main, ...others])
  return { agents: all.agents, problems: [...all.problems, ...problems] }
})

/** What to watch for changes: the files, and the folder for those that come. @category getters */
export const watched = Effect.fnUntraced(function*(agentsFile: string) {
  const path = yield* Path.Path
  const folder = path.join(path.dirname(agentsFile), FOLDER)
  const { files } = yield* listed(folder)
  // What is watched are the folders that files stand in; the last one keeps an empty folder among them.
  return [agentsFile, folder, ...files, path.join(folder, ".")]
})

/** Those for agents; a README.md is for people. */
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
): Effect.Effect<AgentFile.ParsedAgents, never, R> =>
  reading.pipe(
    Effect.map(({ text }) => text === null ? NOTHING : AgentFile.parse(text, file, fileName)),
    Effect.catch((error) => {
      const words = typeof error === "string" ? error : error.message
      return Effect.succeed({ agents: [], problems: [unreadable(file, words, fileName)] })
    })
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
