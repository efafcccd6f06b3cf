/** OAuth: signing in, credentials, and what a server asks for. */
export * as FetchSend from "./host/FetchSend.ts"
export { type Asking, Authorizer } from "./oauth/Authorizer.ts"
export * as AuthState from "./oauth/AuthState.ts"
export * as Challenge from "./oauth/Challenge.ts"
export { Credentials, own as ownCredentials } from "./oauth/credentials/Credentials.ts"
export * as Flows from "./oauth/Flows.ts"
export * as ProtectedServer from "./oauth/ProtectedServer.ts"
