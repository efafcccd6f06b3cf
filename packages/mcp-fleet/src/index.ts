/** The public names of mcp-fleet. */
export * as FleetJoin from "./FleetJoin.ts"
export * as FleetServers from "./FleetServers.ts"
export * as Fingerprint from "./model/Fingerprint.ts"
export * as NeighbourWatch from "./NeighbourWatch.ts"
