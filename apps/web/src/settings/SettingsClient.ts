/** The routes about settings that this panel uses. */
import { get, patch } from "../api/Client.ts"
import type { Json, JsonObject } from "../api/Types.ts"

export interface Setting {
  readonly key: string
  readonly about: string
  /** What may stand there, in words. */
  readonly wanted: string
  /** What holds now; of a secret whether it is set. */
  readonly value: Json
  readonly default: Json
  /** What the file says; null when it has not the key. */
  readonly written: Json
  readonly source: "default" | "settings.json"
  readonly secret: boolean
  /** False for what only somebody at the file may change. */
  readonly editable?: boolean
  /** What is written holds only after the next start. */
  readonly restart: boolean
}

export interface Settings {
  readonly file: string
  readonly settings: ReadonlyArray<Setting>
  readonly problems: ReadonlyArray<string>
}

export interface About {
  readonly version: string
  readonly node: string
  readonly storage: { readonly kind: "sqlite" | "postgres" | "memory"; readonly name: string }
  readonly data: string
  readonly state: string
}

export const getAbout = () => get<About>("about")
export const getSettings = () => get<Settings>("settings")
/** Null takes a key out of the file. */
export const changeSettings = (change: JsonObject) => patch<Settings>("settings", change)
