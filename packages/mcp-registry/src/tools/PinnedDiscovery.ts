/** Judges what a server lists, with what was pinned of it. */
import { ServerLog } from "@boocode/mcp-client/Host"
import * as Effect from "effect/Effect"
import * as EntryTrust from "../model/EntryTrust.ts"
import type { Subject } from "../trust/PinSubject.ts"
import { ToolPins } from "../trust/ToolPins.ts"
import * as Discovery from "./Discovery.ts"

/** A listing, and whether arguments of its tools go into headers as well. */
export interface Listed extends Subject {
  readonly isMirrored: boolean
}

/** Compares a listing with the pins of its server, then judges each tool. Never fails. */
export const judge = Effect.fnUntraced(function*(
  subject: Listed,
  servers: () => ReadonlyArray<string>
): Effect.fn.Return<Discovery.Discovered> {
  const pins = yield* Effect.flatMap(ToolPins, ({ check }) => check(subject))
  for (const warning of pins.warnings) {
    yield* Effect.logWarning(`${subject.config.name}: ${warning}`)
    yield* ServerLog.event(warning)
  }
  const { config, entry, isMirrored, tools } = subject
  return Discovery.judge(config, tools, servers(), pins, EntryTrust.isBelieved(entry), isMirrored)
})
