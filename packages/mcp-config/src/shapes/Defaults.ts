/**
 * What an entry means where it says nothing.
 */
import * as Duration from "effect/Duration"
import type { EntryOptions } from "../ServerEntry.ts"

/** The settings of an entry that sets none. */
export const DEFAULTS: EntryOptions = {
  startupTimeout: Duration.seconds(30),
  timeout: Duration.seconds(60),
  maxTotalTimeout: Duration.minutes(10),
  maxConcurrency: null,
  maxMessageBytes: 16 * 1024 * 1024,
  maxResultBytes: 5_000_000,
  restart: "never",
  results: "content",
  retry: "never",
  ping: null,
  tools: null,
  alwaysLoad: false,
  ask: [],
  instructions: true,
  protocol: "auto",
  lazy: false,
  idleTtl: null,
  pin: null,
  logLevel: "info",
  roots: null
}
