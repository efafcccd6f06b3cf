/** Parts of a conversation for a host that limits, traces and judges calls by itself. */
export * as CallEnd from "./contract/CallEnd.ts"
export * as CallSpan from "./contract/CallSpan.ts"
export * as ArgumentHeaders from "./rpc/ArgumentHeaders.ts"
export * as Ping from "./rpc/Ping.ts"
export * as Requests from "./rpc/Requests.ts"
export { UNREAD } from "./stdio/Inbox.ts"
export { SILENCE } from "./stdio/ServerOutput.ts"
