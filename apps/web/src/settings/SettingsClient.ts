/** The routes about settings that this panel uses. */
import { ask, get, patch } from "../api/Client.ts"
import type { JsonObject, Settings } from "../api/Types.ts"

export const getSettings = () => get<Settings>("settings")
/** Null takes a key out of the file. */
export const changeSettings = (change: JsonObject) => patch<Settings>("settings", change)
/** Beside the API: what a monitoring system reads. */
export const getMetrics = async (signal: AbortSignal) => (await ask("GET", "../metrics", { signal })).text()
