/** Agents that are made, changed and taken away by a program: their files stay the truth, and stay readable. */
import { EditedFile, OrdinaryFile } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { UnknownAgent } from "../model/ChatError.ts"
import { CurrentUser, FIRST } from "../users/CurrentUser.ts"
import type { Agent } from "./Agent.ts"
import * as AgentEdit from "./AgentEdit.ts"
import { AgentConflict, type AgentRefused } from "./AgentError.ts"
import * as AgentFolder from "./AgentFolder.ts"
import { type AgentList, Agents, ASSISTANT } from "./Agents.ts"

/**
 * Changes the agents of a data folder, one change at a time. Each fails with `AgentRefused`, which names the wrong key,
 * or with `AgentConflict`; nothing was written then.
 */
export class AgentEditor extends Context.Service<AgentEditor, {
  /**
   * Writes a new agent into a file of its own in the folder `agents`. The first one of all keeps `Assistant` beside it,
   * in AGENTS.md, where it stays the default.
   */
  readonly create: (draft: AgentEdit.AgentDraft) => Effect.Effect<Agent, AgentRefused | AgentConflict>
  /**
   * Changes an agent where it is written; its name may change, its file does not. Comments and other agents of the file
   * stay to the byte. The `Assistant` that is there without files is written into AGENTS.md.
   */
  readonly replace: (
    name: string,
    draft: AgentEdit.AgentDraft
  ) => Effect.Effect<Agent, AgentRefused | AgentConflict | UnknownAgent>
  /** Takes an agent out of its file; a file in the folder `agents` goes with its last agent. */
  readonly remove: (name: string) => Effect.Effect<void, AgentConflict | UnknownAgent>
  /** Why an agent cannot be changed; null when it can. */
  readonly whyFixed: (agent: Agent) => Effect.Effect<string | null>
}>()("chat/AgentEditor") {
  /** Changes what `Agents.layerFile` of the same path reads. */
  static readonly layerFile = (
    path: string
  ): Layer.Layer<AgentEditor, never, Agents | FileSystem.FileSystem | Path.Path> =>
    Layer.effect(AgentEditor, make(path))
}

const make = Effect.fnUntraced(function*(agentsFile: string) {
  const given = yield* Agents
  // Those who change agents have all of them.
  const asAdmin = Effect.provideService(CurrentUser, FIRST)
  const agents = { list: asAdmin(given.list), agent: (name: string) => asAdmin(given.agent(name)) }
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const changing = yield* Semaphore.make(1)
  const isolated = <A, E>(change: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path>) =>
    changing.withPermit(Effect.uninterruptible(Effect.provideContext(change, services)))

  const written = (name: string) =>
    agents.agent(name).pipe(Effect.mapError(({ message }) => conflict("unchanged", message, "see the file")))

  const create = Effect.fnUntraced(function*(draft: AgentEdit.AgentDraft) {
    const { name } = yield* Effect.fromResult(AgentEdit.checked(draft))
    const list = yield* agents.list
    yield* unlessTaken(list, name)
    if (isBuiltIn(list) && name !== ASSISTANT.name) {
      yield* add(agentsFile, null, { ...ASSISTANT, ask: null, code: null })
    }
    const { file, fileName } = yield* freeFile(agentsFile, name)
    yield* add(file, fileName, draft)
    return yield* written(name)
  })

  const replace = Effect.fnUntraced(function*(old: string, draft: AgentEdit.AgentDraft) {
    const agent = yield* agents.agent(old)
    const { name } = yield* Effect.fromResult(AgentEdit.checked(draft))
    const list = yield* agents.list
    if (name !== old) yield* unlessTaken(list, name)
    const { file } = agent
    if (file === null) {
      if (!isBuiltIn(list)) return yield* conflict("built-in", BROKEN, CORRECT)
      yield* add(agentsFile, null, draft)
    } else {
      const fileName = yield* AgentFolder.fileNameOf(agentsFile, file)
      yield* edit(file, (text) => AgentEdit.changed({ text, file, fileName }, old, draft))
    }
    return yield* written(name)
  })

  const remove = Effect.fnUntraced(function*(name: string) {
    const { file } = yield* agents.agent(name)
    if (file === null) {
      return yield* conflict("built-in", `${name} is there because no file has an agent`, "make another agent instead")
    }
    const fileName = yield* AgentFolder.fileNameOf(agentsFile, file)
    const { text } = yield* Effect.mapError(OrdinaryFile.read(file), (error) => unwritten(file, error))
    const left = yield* Effect.fromResult(AgentEdit.removed({ text: text ?? "", file, fileName }, name))
    if (left !== null) {
      return yield* edit(
        file,
        (text) => Result.map(AgentEdit.removed({ text, file, fileName }, name), (left) => left ?? text)
      )
    }
    const fs = yield* FileSystem.FileSystem
    yield* Effect.mapError(fs.remove(file), (error) => unwritten(file, error))
  })

  return AgentEditor.of({
    create: (draft) => isolated(create(draft)),
    replace: (name, draft) => isolated(replace(name, draft)),
    remove: (name) => isolated(remove(name)),
    whyFixed: (agent) => Effect.provideContext(whyFixed(agents.list, agentsFile, agent), services)
  })
})

const BROKEN = "the files of agents have mistakes, and no agent in them can be used"
const CORRECT = "correct the files first: the problems name their lines"

const conflict = (state: AgentConflict["state"], message: string, hint: string) =>
  new AgentConflict({ state, message, hint })

const unwritten = (file: string, error: string | { readonly message: string }) =>
  conflict("unchanged", `${file}: ${typeof error === "string" ? error : error.message}`, "nothing was written")

/** Whether the only agent is the one that is there without any file. */
const isBuiltIn = ({ agents: [agent], problems }: AgentList): boolean => agent?.file === null && problems.length === 0

/** A broken agent has its name, too: the two would stand in each other's way once it is mended. */
const unlessTaken = ({ agents, problems }: AgentList, name: string) => {
  const other = agents.find((agent) => agent.name === name && agent.file !== null) ??
    problems.find((problem) => problem.name === name)
  return other === undefined ? Effect.void : Effect.fail(
    conflict("taken", `${other.file}:${other.line} has an agent called ${name} already`, "take another name")
  )
}

const whyFixed = Effect.fnUntraced(function*(list: Effect.Effect<AgentList>, agentsFile: string, { file }: Agent) {
  if (file === null && !isBuiltIn(yield* list)) return `${BROKEN}; ${CORRECT}`
  const fs = yield* FileSystem.FileSystem
  const folder = (yield* Path.Path).dirname(file ?? agentsFile)
  const isWritable = yield* Effect.isSuccess(fs.access(folder, { writable: true }))
  return isWritable ? null : `this program may not write into ${folder}`
})

const edit = <E extends AgentRefused | AgentConflict>(file: string, change: EditedFile.Change<E>) =>
  Effect.mapError(
    Effect.asVoid(EditedFile.edit({ path: file, name: file }, change)),
    (error) => error._tag === "EditFailed" ? conflict("unchanged", error.message, error.hint) : error
  )

const add = (file: string, fileName: string | null, draft: AgentEdit.AgentDraft) =>
  edit(file, (text) => AgentEdit.added({ text, file, fileName }, draft))

const freeFile = Effect.fnUntraced(function*(agentsFile: string, name: string) {
  const fs = yield* FileSystem.FileSystem
  for (let count = 1;; count++) {
    const fileName = `${fileNameFor(name)}${count === 1 ? "" : `-${count}`}`
    const file = yield* AgentFolder.fileOf(agentsFile, fileName)
    const isFree = Effect.catchIf(Effect.as(fs.stat(file), false), OrdinaryFile.isAbsent, () => Effect.succeed(true))
    if (yield* Effect.mapError(isFree, (error) => unwritten(file, error))) return { file, fileName }
  }
})

const LONGEST = 60

/** `Prompt Builder` is written in `prompt-builder.md`. Windows has devices of some short names. */
const fileNameFor = (name: string): string => {
  const words = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, LONGEST).replaceAll(/^-|-$/g, "")
  return /^(?:|readme|con|prn|aux|nul|(?:com|lpt)\d)$/.test(words) ? `agent-${words}`.replace(/-$/, "") : words
}
