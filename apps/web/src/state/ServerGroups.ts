/** The servers as a person looks for them: those that need them first, those that are off last. */
import { computed } from "@preact/signals"
import type { ServerStatus } from "../api/Types.ts"
import { serverList } from "./Live.ts"

export type ServerGroup = "needsYou" | "ready" | "off"

export const GROUPS: ReadonlyArray<ServerGroup> = ["needsYou", "ready", "off"]

type Standing = Pick<ServerStatus, "state" | "toolsChanged">

/** One that connects stands where it will be in a moment. */
export const groupOf = ({ state, toolsChanged }: Standing): ServerGroup => {
  if (state === "disabled" || state === "stopped") return "off"
  if (toolsChanged > 0) return "needsYou"
  return state === "ready" || state === "connecting" ? "ready" : "needsYou"
}

export const serverGroups = computed(() => Map.groupBy(serverList.value, groupOf))
