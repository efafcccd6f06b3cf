/**
 * What a server tells without being asked, behind the `Connection` contract, in both ways in which it can be had.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Capability, Connection, LogMessage } from "../Connection.ts"
import type { Told } from "./Arrivals.ts"
import * as Listening from "./Listening.ts"
import * as LogLevels from "./LogLevels.ts"
import type { Send } from "./Requests.ts"
import * as Subscriptions from "./Subscriptions.ts"

/** @category models */
export interface News {
  /** The members of a connection that are about it. */
  readonly members: Pick<
    Connection,
    "onToolsChanged" | "onListChanged" | "tellsOf" | "watch" | "onResourceUpdated" | "setLogLevel" | "onLog"
  >
  /** Where what the server tells is to go. */
  readonly told: Told
  /** Begins to listen, where a server of 2026-07-28 has something to tell. To be run once the server is known. */
  readonly begin: Effect.Effect<void>
  /** What every request's `_meta` carries because of it; null for nothing. */
  readonly meta: () => Schema.JsonObject | null
}

/** @category models */
export interface Options {
  readonly isModern: boolean
  readonly send: Send
  readonly declares: (capability: Capability) => boolean
  /** Whether the server says that it tells of changes of a list. */
  readonly tells: (list: Listening.ListName) => boolean
  /** Where what is asked for stays open. */
  readonly scope: Scope.Scope
}

/** Hears from now on, and asks for nothing yet. @category constructors */
export const make = ({ declares, isModern, scope, send, tells }: Options): News => {
  let haveToolsChanged = false
  let onToolsChanged = () => {
    haveToolsChanged = true
  }
  let onListChanged = (_: "prompts" | "resources") => {}
  let onResourceUpdated = (_: string) => {}
  let onLog = (_: LogMessage) => {}

  const listening = !isModern ? null : Listening.make({
    send,
    lists: () => LISTS.filter(tells),
    scope,
    onHeard: (isFirst, uris) => {
      // What was listed before it was listened to may be old.
      onListChanged("prompts")
      onListChanged("resources")
      if (isFirst) return
      onToolsChanged()
      for (const uri of uris) onResourceUpdated(uri)
    }
  })
  let subscriptions: Connection["watch"] | null = null
  const logging = LogLevels.make({ send, isDeclared: () => declares("logging"), isModern })
  return {
    begin: listening?.begin ?? Effect.void,
    meta: logging.meta,
    told: {
      logged: ({ data = null, level = null, logger = null }) => onLog({ data, level, logger }),
      updated: (params) => {
        const { uri } = params
        if (typeof uri === "string" && (listening?.isCurrent(params) ?? true)) onResourceUpdated(uri)
      },
      toolsChanged: () => onToolsChanged(),
      listChanged: (what) => onListChanged(what)
    },
    members: {
      onToolsChanged: (listener) => {
        onToolsChanged = listener
        if (haveToolsChanged) listener()
        haveToolsChanged = false
      },
      onListChanged: (listener) => {
        onListChanged = listener
      },
      tellsOf: (what) => tells(what) && (listening?.hears(what) ?? true),
      watch: listening?.watch ?? ((uris) => {
        subscriptions ??= Subscriptions.make(send)
        return subscriptions(uris)
      }),
      onResourceUpdated: (listener) => {
        onResourceUpdated = listener
      },
      setLogLevel: logging.setLogLevel,
      onLog: (listener) => {
        onLog = listener
      }
    }
  }
}

const LISTS = ["tools", "prompts", "resources"] as const
