/** What runs on the other side, and where it keeps things: what a person is asked for first when something is wrong. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { ServerAbout } from "../api/Types.ts"
import { getJson } from "../state/Loading.ts"
import { Fact } from "../state/Panel.tsx"
import { getAbout } from "./SettingsClient.ts"

const STORAGE: Readonly<Record<ServerAbout["storage"]["kind"], string>> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
  memory: "nowhere: they are gone when the server ends"
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
    <section class="setting-group" aria-label="This server">
      <h2 class="section-heading">This server</h2>
      <dl class="about-list">
        <Fact name="Version">BooCode {version}, on Node {node}</Fact>
        <Fact name="Chats">
          {STORAGE[storage.kind]} {storage.kind === "memory" ? null : <code>{storage.name}</code>}
        </Fact>
        <Fact name="Data folder">
          <code>{data}</code>
        </Fact>
        <Fact name="State folder">
          <code>{state}</code>
        </Fact>
      </dl>
    </section>
  )
}
