/** The registry with everything off that an operator could see of a call. */
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Open } from "../support/Client.ts"
import { client } from "../support/Fibers.ts"
import { layer, ready } from "./Registry.ts"

export const open: Open = (servers, enough) =>
  client(ManagedRuntime.make(layer(servers, { metrics: false })), ready(enough))
