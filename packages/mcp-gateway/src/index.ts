/** The public names of mcp-gateway. */
export * as McpGateway from "./McpGateway.ts"
export type { Gateway, GatewayOptions } from "./McpGateway.ts"
export type { Approval, Decision, Gate, GatewayCall, MadeCall, Verdict } from "./model/Gate.ts"
export type { Caller, Client, ClientStatus, Substitute } from "./model/GatewayClient.ts"
export type { PlainAnswer, PlainRequest } from "./model/PlainHttp.ts"
export * as Profile from "./model/Profile.ts"
export * as KeptLists from "./offer/KeptLists.ts"
