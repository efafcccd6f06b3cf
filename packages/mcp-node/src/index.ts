/** The public names of mcp-node. */
export * as NodeCredentials from "./credentials/NodeCredentials.ts"
export * as GuardedFetch from "./http/GuardedFetch.ts"
export * as NodeFetch from "./http/NodeFetch.ts"
export * as NodeMcp from "./NodeMcp.ts"
export * as ForcedShutdown from "./processes/ForcedShutdown.ts"
export * as NodeProcessTree from "./processes/NodeProcessTree.ts"
export * as NodePrograms from "./processes/NodePrograms.ts"
