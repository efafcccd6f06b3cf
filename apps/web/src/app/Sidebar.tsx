/** The side of the page: a new chat, the chats, and the ways to the panels. On a narrow screen it is a drawer. */
import { computed } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { agentProblems } from "../state/Catalog.ts"
import { isDrawerOpen } from "../state/Drawer.tsx"
import { isHelpOpen } from "../state/Keys.ts"
import { configProblems, serverList } from "../state/Live.ts"
import { address, type Place, route } from "../state/Route.ts"
import { Button } from "../ui/Button.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { nextTheme, theme } from "../ui/Theme.ts"
import { ChatList } from "./ChatList.tsx"

/** How the servers are, in a few words; `bad` when something needs a person. */
const serversInShort = computed(() => {
  const states = serverList.value.map(({ state }) => state)
  const many = (...of: ReadonlyArray<string>) => states.filter((state) => of.includes(state)).length
  const failed = many("failed") + configProblems.value.length
  const logins = many("needs-auth")
  const waiting = many("needs-approval")
  const connecting = many("connecting")
  const rest = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(logins > 0 ? [`${logins} to log in`] : []),
    ...(waiting > 0 ? [`${waiting} to approve`] : []),
    ...(connecting > 0 ? [`${connecting} connecting`] : [])
  ]
  // There is room for the worst of it; the panel has the rest.
  const text = [`${many("ready")} up`, ...rest.slice(0, 1)].join(", ")
  const tone = failed > 0 ? "bad" : waiting + logins > 0 ? "warn" : connecting > 0 ? "busy" : "good"
  return { text, tone }
})

interface PlaceLinkProps {
  readonly place: Place
  readonly icon: IconName
  readonly text: string
  readonly about?: string
  readonly tone?: string
}

const PlaceLink = ({ about, icon, place, text, tone }: PlaceLinkProps) => (
  <a class="place" href={address(place)} {...(route.value.place === place ? { "aria-current": "page" } : {})}>
    <Icon name={icon} />
    <span>{text}</span>
    {about === undefined ? null : <span class={`place-about ${tone ?? ""}`}>{about}</span>}
  </a>
)

const THEMES = { system: "system", light: "sun", dark: "moon" } as const

export const Sidebar = () => {
  const aside = useRef<HTMLElement>(null)
  const isOpen = isDrawerOpen.value
  const servers = serversInShort.value
  useEffect(() => {
    if (isOpen) aside.current?.querySelector<HTMLElement>("button, a")?.focus()
  }, [isOpen])
  return (
    <>
      {isOpen ? <div class="scrim" onClick={() => isDrawerOpen.value = false} /> : null}
      <aside
        class={isOpen ? "sidebar open" : "sidebar"}
        ref={aside}
        aria-label="Chats and panels"
        onKeyDown={(event) => {
          if (event.key === "Escape" && isOpen) {
            event.stopPropagation()
            isDrawerOpen.value = false
          }
        }}
      >
        <div class="brand">
          <img src="/icon.svg" alt="" width={22} height={22} />
          <strong>BooCode</strong>
          <Button
            kind="plain"
            isSmall
            icon={THEMES[theme.value]}
            label={`Theme: ${theme.value}. Change it`}
            onClick={nextTheme}
          />
          <Button
            kind="plain"
            isSmall
            icon="keyboard"
            label="Keyboard shortcuts"
            onClick={() => isHelpOpen.value = true}
          />
        </div>
        <ChatList />
        <nav class="places" aria-label="Panels">
          <PlaceLink place="servers" icon="server" text="Servers" about={servers.text} tone={servers.tone} />
          <PlaceLink place="tools" icon="tool" text="Tools" />
          <PlaceLink
            place="agents"
            icon="agent"
            text="Agents"
            {...(agentProblems.value.length > 0
              ? { about: `${agentProblems.value.length} to fix`, tone: "bad" }
              : {})}
          />
          <PlaceLink place="settings" icon="settings" text="Settings" />
        </nav>
      </aside>
    </>
  )
}
