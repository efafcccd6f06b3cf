/** The schemas of what is told of a server. An entry of their own: `effect/Schema` takes longer to load than the client. */
export { StatusError } from "./errors/StatusError.ts"
export { LogLine } from "./host/LogLineSchema.ts"
export { ServerAuth } from "./oauth/credentials/CredentialSchema.ts"
