/** The routes about the versions of a fleet's configuration. */
import type * as About from "@boocode/chat-server/api/AboutApi"
import { get, post } from "../../api/Client.ts"

export type ConfigVersion = typeof About.ConfigVersionDocument.Encoded
export type ComparedVersion = typeof About.ComparedVersionDocument.Encoded

export const getVersions = () => get<{ readonly versions: ReadonlyArray<ConfigVersion> }>("fleet/configuration")
export const compareVersion = (name: string, version: number) =>
  get<ComparedVersion>(`fleet/configuration/compare?${new URLSearchParams({ name, version: String(version) })}`)
/** `newest` is the newest version that was compared. Gives the number that it has now. */
export const restoreVersion = (name: string, version: number, newest: number) =>
  post<{ readonly version: number }>("fleet/configuration/restore", { name, version, newest })
