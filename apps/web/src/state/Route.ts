/** Which part of the page is shown. It is in the address after `#`, so a reload or a bookmark comes back to it. */
import { signal } from "@preact/signals"

export type Place = "chat" | "servers" | "tools" | "agents" | "settings" | "invitation" | "shared" | "device"

export interface Route {
  readonly place: Place
  /** The words after the place, decoded: `#/tools/files_read` has `["files_read"]`. */
  readonly rest: ReadonlyArray<string>
}

const PLACES: ReadonlySet<string> = new Set<Place>([
  "chat",
  "servers",
  "tools",
  "agents",
  "settings",
  "invitation",
  "shared",
  "device"
])
const isPlace = (word: string | undefined): word is Place => word !== undefined && PLACES.has(word)

const decoded = (word: string): string => {
  try {
    return decodeURIComponent(word)
  } catch {
    return word // a lone % that somebody typed
  }
}

/** The route of an address; one that is not known is a new chat. */
const parse = (hash: string): Route => {
  const [place, ...rest] = hash.replace(/^#\/?/, "").split("/").filter((word) => word !== "").map(decoded)
  return isPlace(place) ? { place, rest } : { place: "chat", rest: [] }
}

/** The address of a place, for links: `address("tools", "files_read")`. */
export const address = (place: Place, ...rest: ReadonlyArray<string>): string =>
  `#/${[place, ...rest].map((word) => encodeURIComponent(word)).join("/")}`

export const route = signal<Route>(parse(location.hash))

addEventListener("hashchange", () => {
  route.value = parse(location.hash)
})

/** Goes there; `replace` leaves no step behind to come back to. */
export const go = (place: Place, rest: ReadonlyArray<string> = [], how: "push" | "replace" = "push") => {
  const hash = address(place, ...rest)
  if (how === "push") location.hash = hash
  else history.replaceState(null, "", hash)
  route.value = parse(hash)
}
