/** The program of a thread in which programs of models run, one at a time. It posts `ready` once. */
import type { FromThread, ThreadEnd, ToThread } from "@boocode/toolkit/code"
import { createHash } from "node:crypto"
import process from "node:process"
import { parentPort, workerData } from "node:worker_threads"
import * as EngineModule from "./EngineModule.ts"
import { GUEST } from "./GuestScript.ts"
import * as MachineFault from "./MachineFault.ts"
import * as ProgramMachine from "./ProgramMachine.ts"
import * as ProgramSource from "./ProgramSource.ts"

/** A message from the thread: first that it is ready, or why it will never be. */
export type ThreadNews =
  | FromThread
  | { readonly type: "ready"; readonly build: string }
  | { readonly type: "failed"; readonly detail: string }

const post = (news: ThreadNews): void => parentPort?.postMessage(news)

/** The engine and the code inside before the program; a state of another build makes no sense. */
const buildOf = (wasm: Uint8Array): string => createHash("sha256").update(wasm).update(GUEST).digest("hex").slice(0, 16)

let machine: ProgramMachine.ProgramMachine | null = null

const forget = (): void => {
  machine?.dispose()
  machine = null
}

const told = (turn: ProgramMachine.Turn): void => {
  if (turn.end !== null) forget()
  post(turn)
}

const begun = (begin: () => Promise<ProgramMachine.Begun>, kind: "broken" | "snapshot"): void => {
  Promise.resolve().then(begin).then((begun) => {
    machine = begun.machine
    told(begun.turn)
  }).catch((error: unknown) => told(failed(kind, `${SAYS[kind]}: ${MachineFault.raisedBy(error).message}`)))
}

const SAYS = {
  broken: "the sandbox of the program cannot be made",
  snapshot: "what was saved of the program is damaged"
}

const failed = (kind: "broken" | "snapshot", message: string): ProgramMachine.Turn => {
  const end: ThreadEnd = { value: null, error: { kind, message, line: null, during: null } }
  return { type: "turn", spent: 0, asks: [], end, isUsable: false }
}

const hear = (wasm: EngineModule.Wasm, message: ToThread): void => {
  if (message.type === "run") {
    begun(() => ProgramMachine.begin(wasm, message.source, message.functions, message.limits), "broken")
  } else if (message.type === "restore") {
    begun(() => ProgramMachine.restore(wasm, message.state, message.limits), "snapshot")
  } else if (message.type === "drop") forget()
  else if (machine === null) told(failed("broken", "the thread has no program"))
  else if (message.type === "answers") told(machine.settle(message.answers))
  else post({ type: "saved", state: machine.save() })
}

const place: unknown = workerData

if (typeof place === "string") {
  process.removeAllListeners("warning") // Node says at each start that it may change how it strips types
  ProgramSource.prepare("") // the first one takes a tenth of a second
  EngineModule.load(new URL(place)).then(({ bytes, wasm }) => {
    parentPort?.on("message", (message: ToThread) => hear(wasm, message))
    post({ type: "ready", build: buildOf(bytes) })
  }).catch((error: unknown) => post({ type: "failed", detail: String(error) }))
}
