/** One program in one instance of QuickJS, which has its memory to itself. It computes a turn at a time. */
import type { FromThread, ProgramFunction, ProgramLimits, SavedState } from "@boocode/toolkit/code"
import { performance } from "node:perf_hooks"
import { gunzipSync, gzipSync } from "node:zlib"
import { type JSValueHandle, QuickJS } from "quickjs-wasi"
import type * as EngineModule from "./EngineModule.ts"
import { GUEST, PROGRAM } from "./GuestScript.ts"
import * as MachineFault from "./MachineFault.ts"
import * as ProgramOutbox from "./ProgramOutbox.ts"
import * as ProgramSource from "./ProgramSource.ts"

/** The outcome of a turn. */
export type Turn = Extract<FromThread, { readonly type: "turn" }>

/** A program that has not ended. Nothing here fails; a turn with an `end` is the last one. */
export interface ProgramMachine {
  readonly settle: (answers: string) => Turn
  readonly save: () => SavedState
  readonly dispose: () => void
}

/** The first turn, and what goes on where it has not ended. */
export interface Begun {
  readonly turn: Turn
  readonly machine: ProgramMachine
}

/** For saying how it ended, to a program that has used up what it may. */
const RESERVE = { bytes: 4_000_000, millis: 250 }

/** Memory is mostly zeros: more effort makes it hardly smaller. */
const LEVEL = 3

interface Watch {
  /** When the program is interrupted. */
  end: number
}

interface Roots {
  readonly take: JSValueHandle
  readonly settle: JSValueHandle
}

const options = (wasm: EngineModule.Wasm, limits: ProgramLimits, watch: Watch) => ({
  wasm,
  memoryLimit: limits.memoryBytes,
  maxStackSize: limits.stackBytes,
  interruptHandler: () => performance.now() > watch.end
})

/** Begins a program, and runs it until it waits. */
export const begin = (
  wasm: EngineModule.Wasm,
  source: string,
  functions: ReadonlyArray<ProgramFunction>,
  limits: ProgramLimits
): Promise<Begun> => {
  const watch: Watch = { end: Infinity }
  return QuickJS.create(options(wasm, limits, watch)).then((vm) => {
    const guest = vm.evalCode(`${GUEST}(${JSON.stringify({ limits, functions })})`, "boocode.js")
    const machine = make(vm, limits, watch, { take: guest.getProp("take"), settle: guest.getProp("settle") }, 0)
    const prepared = ProgramSource.prepare(source)
    if (typeof prepared !== "string") {
      return { machine, turn: { ...machine.ended(prepared.fault), isUsable: !prepared.isBroken } }
    }
    const turn = machine.turn(() => {
      const promise = vm.evalCode(prepared, PROGRAM)
      vm.callFunction(guest.getProp("watch"), vm.undefined, promise).dispose()
      promise.dispose()
    })
    return { machine, turn }
  })
}

/** Goes on with a program that was saved by the same build. It still waits then. */
export const restore = (wasm: EngineModule.Wasm, state: SavedState, limits: ProgramLimits): Promise<Begun> => {
  const watch: Watch = { end: Infinity }
  const [take = 0, settle = 0] = state.roots
  return QuickJS.restore(
    QuickJS.deserializeSnapshot(gunzipSync(state.memory, { maxOutputLength: 4 * limits.memoryBytes })),
    options(wasm, limits, watch)
  ).then((vm) => {
    const roots = { take: vm.importHandle(take), settle: vm.importHandle(settle) }
    const machine = make(vm, limits, watch, roots, state.spent)
    return { machine, turn: machine.turn(() => {}) }
  })
}

interface Machine extends ProgramMachine {
  readonly turn: (work: () => void) => Turn
  readonly ended: (fault: MachineFault.MachineFault) => Turn
}

const make = (vm: QuickJS, limits: ProgramLimits, watch: Watch, roots: Roots, before: number): Machine => {
  let spent = before

  const take = (): ProgramOutbox.ProgramOutbox | null => {
    const taken = vm.callFunction(roots.take, vm.undefined)
    const text = taken.toString()
    taken.dispose()
    return ProgramOutbox.read(text, limits)
  }

  const answered = (asks: Turn["asks"], end: Turn["end"]): Turn => ({ type: "turn", spent, asks, end, isUsable: true })

  /** Requests of the turn that the machine did not survive are not begun. */
  const ended = (fault: MachineFault.MachineFault): Turn => {
    vm._getExports().qjs_set_memory_limit(limits.memoryBytes + RESERVE.bytes)
    watch.end = performance.now() + RESERVE.millis
    const rest = MachineFault.attempt(take)
    const asks = "value" in rest ? rest.value?.asks.filter(([kind]) => kind === "console") ?? [] : []
    return answered(asks, { value: null, error: fault })
  }

  /** Lets the program compute. */
  const compute = (work: () => void): MachineFault.Raised | null => {
    const began = performance.now()
    watch.end = began + limits.computeMillis - spent
    const done = MachineFault.attempt(() => {
      work()
      return MachineFault.runJobs(vm)
    })
    spent += performance.now() - began
    return "raised" in done ? done.raised : done.value
  }

  const turn = (work: () => void): Turn => {
    const raised = compute(work)
    if (raised !== null) return ended(MachineFault.explained(raised, limits))
    const taken = MachineFault.attempt(take)
    if ("raised" in taken) return ended(MachineFault.explained(taken.raised, limits))
    if (taken.value === null) return answered([], { value: null, error: MachineFault.DAMAGED })
    const { asks, end, isOpen } = taken.value
    if (end?.error) return answered(asks, { value: null, error: MachineFault.classified(end.error, limits) })
    if (end !== null) return answered(asks, end)
    if (spent >= limits.computeMillis) return answered(asks, { value: null, error: MachineFault.compute(limits, null) })
    return isOpen ? answered(asks, null) : answered(asks, { value: null, error: MachineFault.stalled(vm, limits) })
  }

  return {
    turn,
    ended,
    settle: (answers) =>
      turn(() => {
        const given = vm.newString(answers)
        vm.callFunction(roots.settle, vm.undefined, given).dispose()
        given.dispose()
      }),
    save: () => {
      vm.runGC()
      const exported = [vm.exportHandle(roots.take), vm.exportHandle(roots.settle)]
      const memory = gzipSync(QuickJS.serializeSnapshot(vm.snapshot()), { level: LEVEL })
      return { memory: new Uint8Array(memory), roots: exported, spent }
    },
    dispose: () => {
      MachineFault.attempt(() => vm.dispose())
    }
  }
}
