/**
 * What a server tells without being asked, behind the `Connection` contract, in both ways in which it can be had.
 */
import type { Client } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Capability, Connection, LogMessage } from "../Connection.ts"
import type { RawAnswers } from "./RawAnswers.ts"
import * as SdkListening from "./SdkListening.ts"
import * as SdkLogging from "./SdkLogging.ts"
import type { Send } from "./SdkRequest.ts"
import * as SdkSubscriptions from "./SdkSubscriptions.ts"

/** @category models */
export interface SdkNews {
  /** The members of a connection that are about it. */
  readonly members: Pick<
    Connection,
    "onToolsChanged" | "onListChanged" | "tellsOf" | "watch" | "onResourceUpdated" | "setLogLevel" | "onLog"
  >
  /** Begins to listen, where a server of 2026-07-28 has something to tell. To be run once the server is known. */
  readonly begin: Effect.Effect<void>
  /** What every request's `_meta` carries because of it. */
  readonly meta: () => Schema.JsonObject
  /** Tells that the list of tools is not what it was. */
  readonly tellToolsChanged: () => void
}

/** @category models */
export interface Options {
  readonly client: Client
  readonly answers: RawAnswers
  readonly send: Send
  readonly declares: (capability: Capability) => boolean
  /** Where what is asked for stays open. */
  readonly scope: Scope.Scope
}

/** Hears from now on, and asks for nothing yet. @category constructors */
export const make = ({ answers, client, declares, scope, send }: Options): SdkNews => {
  let haveToolsChanged = false
  let onToolsChanged = () => {
    haveToolsChanged = true
  }
  let onListChanged = (_: "prompts" | "resources") => {}
  let onResourceUpdated = (_: string) => {}
  let onLog = (_: LogMessage) => {}
  const isModern = () => client.getProtocolEra() === "modern"
  const tells = (list: SdkListening.ListName) => client.getServerCapabilities()?.[list]?.listChanged === true

  client.setNotificationHandler("notifications/tools/list_changed", () => onToolsChanged())
  client.setNotificationHandler("notifications/prompts/list_changed", () => onListChanged("prompts"))
  client.setNotificationHandler("notifications/resources/list_changed", () => onListChanged("resources"))
  const listening = SdkListening.make({
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
  answers.listen({
    logged: ({ data = null, level = null, logger = null }) => onLog({ data, level, logger }),
    updated: (params) => {
      const { uri } = params
      if (typeof uri === "string" && listening.isCurrent(params)) onResourceUpdated(uri)
    }
  })
  const watch = SdkSubscriptions.make(send)
  const logging = SdkLogging.make({ send, isDeclared: () => declares("logging"), isModern })
  return {
    begin: Effect.suspend(() => isModern() ? listening.begin : Effect.void),
    meta: logging.meta,
    tellToolsChanged: () => onToolsChanged(),
    members: {
      onToolsChanged: (listener) => {
        onToolsChanged = listener
        if (haveToolsChanged) listener()
        haveToolsChanged = false
      },
      onListChanged: (listener) => {
        onListChanged = listener
      },
      tellsOf: (what) => tells(what) && (!isModern() || listening.hears(what)),
      watch: (uris) => isModern() ? listening.watch(uris) : watch(uris),
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
