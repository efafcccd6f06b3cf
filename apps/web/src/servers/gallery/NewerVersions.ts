/** Which installed servers have another version, once a person asked. */
import { signal } from "@preact/signals"
import type { OutdatedServer } from "../../api/Types.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { tellError } from "../../state/Loading.ts"
import { tell } from "../../state/Toasts.ts"
import { listOutdated } from "./GalleryClient.ts"

/** By their names here. */
export const outdated = signal<ReadonlyMap<string, OutdatedServer>>(new Map())

export const lookForNewer = () =>
  listOutdated().then(({ servers }) => {
    outdated.value = new Map(servers.map((one) => [one.server, one]))
    tell({ text: servers.length === 0 ? words.upgrade.latest : words.upgrade.newer(servers.length) })
  }, tellError)

/** After its upgrade nothing is said of it. */
export const forget = (server: string) => {
  outdated.value = new Map([...outdated.value].filter(([name]) => name !== server))
}
