/** The public names of toolkit for programs of models, in which the tools are functions. */
export * as ExecuteTool from "./ExecuteTool.ts"
export * as ProgramNames from "./ProgramNames.ts"
export * as ProgramReport from "./ProgramReport.ts"
export { type ProgramThread, ProgramThreads, type ThreadListener, type ThreadLost } from "./ProgramThreads.ts"
export {
  type CallAnswer,
  type CallError,
  type CallRecord,
  type CallValue,
  type ErrorKind,
  LIMITS,
  type Program,
  type ProgramCall,
  type ProgramError,
  type ProgramFunction,
  type ProgramLimits,
  type ProgramOutcome,
  Sandbox,
  type Snapshot
} from "./Sandbox.ts"
export * as Signatures from "./Signatures.ts"
export type { Ask, FromThread, SavedState, ThreadEnd, ToThread } from "./ThreadMessages.ts"
export * as ThreadSandbox from "./ThreadSandbox.ts"
