/** The services that a host provides, and what a connection tells it. */
export * as ServerEnvironment from "./base/ServerEnvironment.ts"
export { McpFetch } from "./host/McpFetch.ts"
export { ProcessTree } from "./host/ProcessTree.ts"
export { type Program, type ProgramListener, Programs } from "./host/Programs.ts"
export { ProtocolMemory } from "./host/ProtocolMemory.ts"
export * as ServerLog from "./host/ServerLog.ts"
export * as ServerRequests from "./host/ServerRequests.ts"
export type { Asker, Asking as ServerAsking, ServerHost } from "./host/ServerRequests.ts"
