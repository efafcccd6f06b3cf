/** How a part of an answer opens beside its chat; null where there is no place, as for readers of a shared chat. */
import { createContext } from "preact"

export const PlaceBeside = createContext<((text: string) => void) | null>(null)
