/** One start of a server, and the nodes that hold it open. */
import type { Connection } from "@boocode/mcp-client/Connection"
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import { LOG_LEVELS, type LogLevel } from "@boocode/mcp-config"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { CallRecord } from "../model/CallRecord.ts"
import type { Facts, HeldEvent } from "../protocol/ServerEntity.ts"
import { CallQuestions } from "./CallQuestions.ts"

interface Holder {
  uris: ReadonlyArray<string>
  level: LogLevel | null
}

/** A connection and its holders: what one of them is told all are told, and what any of them wants is asked for. */
export class Instance {
  readonly id: string
  readonly connection: Connection
  readonly calls = new CallRecord()
  readonly questions = new CallQuestions()
  /** Done when this start counts no more although its connection may not be closed yet. */
  readonly lost = Deferred.makeUnsafe<McpErrorReason>()
  private readonly holders = new Map<string, Holder>()
  private readonly turn = Semaphore.makeUnsafe(1)

  constructor(id: string, connection: Connection, tell: (event: HeldEvent) => void) {
    this.id = id
    this.connection = connection
    connection.onToolsChanged(() => tell({ _tag: "ToolsChanged" }))
    connection.onListChanged((what) => tell({ _tag: "ListChanged", what }))
    connection.onResourceUpdated((uri) => tell({ _tag: "ResourceUpdated", uri }))
    connection.onLog(({ data, level, logger }) => tell({ _tag: "LogMessage", data, level, logger }))
  }

  join(holder: string): void {
    this.calls.join(holder)
    this.holders.set(holder, { uris: [], level: null })
  }
  /** The server is told no more than the others want. */
  leave(holder: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const had = this.holders.get(holder)
      this.calls.leave(holder)
      this.holders.delete(holder)
      return had === undefined || had.uris.length === 0 ? Effect.void : Effect.ignore(this.watched)
    })
  }
  /** Subscribes to what all holders want. Gives the refusals of all. */
  watch(
    holder: string,
    uris: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyMap<string, McpErrorReason>, McpErrorReason> {
    return Effect.suspend(() => {
      const known = this.holders.get(holder)
      if (known !== undefined) known.uris = uris
      return this.watched
    })
  }
  /** Asks for what the most curious holder wants. */
  setLogLevel(holder: string, level: LogLevel | null): Effect.Effect<void, McpErrorReason> {
    return this.turn.withPermit(Effect.suspend(() => {
      const known = this.holders.get(holder)
      if (known !== undefined) known.level = level
      const wanted = new Set([...this.holders.values()].map((one) => one.level))
      return this.connection.setLogLevel(LOG_LEVELS.find((one) => wanted.has(one)) ?? null)
    }))
  }
  facts(node: string): Facts {
    const { connection } = this
    return {
      instance: this.id,
      node,
      protocolVersion: connection.protocolVersion,
      serverInfo: connection.serverInfo,
      instructions: connection.instructions,
      declares: CAPABILITIES.filter(connection.declares),
      tellsOf: LISTS.filter(connection.tellsOf),
      mirrorsArguments: connection.mirrorsArguments()
    }
  }

  private get watched() {
    return this.turn.withPermit(
      Effect.suspend(() => this.connection.watch([...new Set([...this.holders.values()].flatMap(({ uris }) => uris))]))
    )
  }
}

const CAPABILITIES = ["tools", "prompts", "resources", "subscribe", "completions", "logging"] as const
const LISTS = ["prompts", "resources"] as const
