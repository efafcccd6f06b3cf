/** What runs on the other side, and where it keeps things: what a person is asked for first when something is wrong. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { ServerAbout } from "../api/Types.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { getJson } from "../state/Loading.ts"
import { Fact } from "../state/Panel.tsx"
import { getAbout } from "./SettingsClient.ts"

const STORAGE: Readonly<Record<ServerAbout["storage"]["kind"], string>> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
  memory: texts.inMemory
}

export const AboutServer = () => {
  const about = useSignal<ServerAbout | null>(null)
  useEffect(() =>
    void getJson(getAbout(), (found) => {
      about.value = found
    }), [])
  if (about.value === null) return null
  const { data, node, state, storage, version } = about.value
  return (
    <section class="setting-group" aria-label={texts.thisServer}>
      <h2 class="section-heading">{texts.thisServer}</h2>
      <dl class="about-list">
        <Fact name={texts.version}>{texts.versions(version, node)}</Fact>
        <Fact name={texts.chats}>
          {STORAGE[storage.kind]} {storage.kind === "memory" ? null : <code>{storage.name}</code>}
        </Fact>
        <Fact name={texts.dataFolder}>
          <code>{data}</code>
        </Fact>
        <Fact name={texts.stateFolder}>
          <code>{state}</code>
        </Fact>
      </dl>
    </section>
  )
}
