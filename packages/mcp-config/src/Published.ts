/** The public names about servers that an MCP registry publishes. They stand apart because they load `effect/Schema`. */
export * as Candidate from "./published/Candidate.ts"
export * as CandidateEntry from "./published/CandidateEntry.ts"
export type { PublishedInput } from "./published/InputSpec.ts"
export * as Origin from "./published/Origin.ts"
export * as RegistryAnswer from "./published/RegistryAnswer.ts"
