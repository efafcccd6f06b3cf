/** What a person always allowed, to take back. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { listApprovals, revokeGrant } from "../api/Api.ts"
import type { Grant } from "../api/Types.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { getJson, tellError } from "../state/Loading.ts"
import { Button } from "../ui/Button.tsx"

export const Grants = () => {
  const granted = useSignal<ReadonlyArray<Grant> | null>(null)
  const load = () =>
    getJson(listApprovals(), (answer) => {
      granted.value = answer.granted
    })
  useEffect(() => void load(), [])
  const revoke = async (name: string) => {
    await revokeGrant(name).catch(tellError)
    await load()
  }
  const all = granted.value
  return (
    <section class="setting-group" aria-label={texts.alwaysAllowed}>
      <h2 class="section-heading">{texts.alwaysAllowed}</h2>
      {all === null || all.length === 0
        ? <p class="muted">{texts.noneAllowed}</p>
        : (
          <ul class="grants">
            {all.map(({ name, server, since }) => (
              <li key={name}>
                <code>{name}</code>
                <span class="muted">
                  {texts.since(
                    server === null ? texts.builtIn : texts.ofServer(server),
                    new Date(since).toLocaleDateString()
                  )}
                </span>
                <Button isSmall aria-label={texts.revokeOf(name)} onClick={() => void revoke(name)}>
                  {texts.revoke}
                </Button>
              </li>
            ))}
          </ul>
        )}
    </section>
  )
}
