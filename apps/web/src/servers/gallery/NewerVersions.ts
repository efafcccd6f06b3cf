/** Which installed servers have another version, as far as somebody asked the registry. */
import { signal } from "@preact/signals"
import type { OutdatedServer } from "../../api/Types.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { tellError } from "../../state/Loading.ts"
import { tell } from "../../state/Toasts.ts"
import { listOutdated } from "./GalleryClient.ts"

/** By their names here. */
export const outdated = signal<ReadonlyMap<string, OutdatedServer>>(new Map())

const place = (servers: ReadonlyArray<OutdatedServer>) => {
  outdated.value = new Map(servers.map((one) => [one.server, one]))
}

let isRecalled = false

/**
 * The versions that were found before this page was opened. Without them nothing is missing that a person could not ask
 * for.
 */
export const recall = () => {
  if (isRecalled) return
  isRecalled = true
  listOutdated(true).then(({ servers }) => place(servers), () => {})
}

export const lookForNewer = () =>
  listOutdated().then(({ servers }) => {
    place(servers)
    tell({ text: servers.length === 0 ? words.upgrade.latest : words.upgrade.newer(servers.length) })
  }, tellError)

/** After its upgrade nothing is said of it. */
export const forget = (server: string) => {
  outdated.value = new Map([...outdated.value].filter(([name]) => name !== server))
}
