/** Below a server that has another version: which, and the way to it. */
import { useSignal } from "@preact/signals"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { Button } from "../../ui/Button.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import { outdated } from "./NewerVersions.ts"

const UpgradeDialog = lazy(() => import("./UpgradeDialog.tsx").then((module) => module.UpgradeDialog), null)

export const OutdatedLine = ({ server }: { readonly server: string }) => {
  const isOpen = useSignal(false)
  const found = outdated.value.get(server)
  if (found === undefined) return null
  const { latest, status, version } = found
  const isNewer = latest !== null && latest !== version
  return (
    <div class="row">
      <span class="item-about">
        {isNewer ? words.upgrade.is(latest) : null} {words.upgrade.states[status]}
      </span>
      {isNewer && status !== "deleted"
        ? (
          <Button isSmall aria-label={words.upgrade.openOf(server)} onClick={() => isOpen.value = true}>
            {words.upgrade.open}
          </Button>
        )
        : null}
      {isOpen.value && latest !== null
        ? <UpgradeDialog server={server} version={latest} onClose={() => isOpen.value = false} />
        : null}
    </div>
  )
}
