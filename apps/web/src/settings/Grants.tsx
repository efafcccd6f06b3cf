/** The grants that a person gave for more than one call, and taking them back. */
import { useSignal } from "@preact/signals"
import { h } from "preact"
import { useEffect } from "preact/hooks"
import { listApprovals, revokeGrant } from "../api/Api.ts"
import type { Grant } from "../api/Types.ts"
import { whereWords } from "../chat/calls/WhereWords.ts"
import { day, moment } from "../messages/Numbers.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { getJson, tellError } from "../state/Loading.ts"
import { Button } from "../ui/Button.tsx"
import "./settings.css"

export const Grants = ({ level }: { readonly level: 2 | 3 }) => {
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
  // Taking back is for all that was allowed of a tool.
  const all = Map.groupBy(granted.value ?? [], ({ name }) => name)
  return (
    <section class={level === 2 ? "setting-group" : "setting"} aria-label={texts.alwaysAllowed}>
      {h(`h${level}`, level === 2 ? { class: "section-heading" } : {}, texts.alwaysAllowed)}
      {all.size === 0
        ? <p class="muted">{texts.noneAllowed}</p>
        : (
          <ul class="grants">
            {[...all].map(([name, grants]) => (
              <li key={name}>
                <code>{name}</code>
                <span class="muted">{grants.map(termsOf).join("; ")}</span>
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

/** `where path is notes/*, of files, since 23/11/2026`. */
const termsOf = ({ server, since, until, where = {} }: Grant): string =>
  [
    ...(Object.keys(where).length === 0 ? [] : [texts.where(whereWords(where))]),
    texts.since(
      server === null ? texts.builtIn : texts.ofServer(server),
      day(since)
    ),
    ...(until === undefined ? [] : [texts.untilTime(moment(until))])
  ].join(", ")
