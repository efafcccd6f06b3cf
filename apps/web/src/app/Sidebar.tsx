/** The side of the page: a new chat, search, the chats, and the ways to the panels. On a narrow screen it is a drawer. */
import { computed } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { shell } from "../messages/ShellMessages.ts"
import { agentProblems } from "../state/Catalog.ts"
import { isDrawerOpen, newChat, turnSidebar } from "../state/Drawer.tsx"
import { isHelpOpen, keysOf, palette } from "../state/Keys.ts"
import { chats } from "../state/ListedChats.ts"
import { configProblems, serverList } from "../state/Live.ts"
import { address, type Place, route } from "../state/Route.ts"
import { Button } from "../ui/Button.tsx"
import { Ghost } from "../ui/Ghost.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { Menu, type MenuItem } from "../ui/lists/Menu.tsx"
import { setTheme, type Theme, theme } from "../ui/Theme.ts"
import { ChatImport, chooseChatFile } from "./ChatImport.tsx"
import { ChatList } from "./ChatList.tsx"

/** How the servers are, in a few words: there is room for the worst of it, the panel has the rest. */
const serversInShort = computed(() => {
  const states = serverList.value.map(({ state }) => state)
  const many = (of: string) => states.filter((state) => state === of).length
  const failed = many("failed") + configProblems.value.length
  const rest = [
    ...(many("needs-auth") > 0 ? [shell.toLogIn(many("needs-auth"))] : []),
    ...(many("needs-approval") > 0 ? [shell.toApprove(many("needs-approval"))] : []),
    ...(failed > 0 ? [shell.failed(failed)] : []),
    ...(many("connecting") > 0 ? [shell.connecting(many("connecting"))] : [])
  ]
  return [shell.ready(many("ready")), ...rest.slice(0, 1)].join(" · ")
})

/** Whether a model answers anywhere. */
const isWorking = computed(() => chats.value?.some(({ running }) => running !== null) === true)

interface PlaceLinkProps {
  readonly place: Place
  readonly text: string
  readonly about?: string
}

const close = () => isDrawerOpen.value = false

const PlaceLink = ({ about, place, text }: PlaceLinkProps) => (
  <a
    class="side-row"
    href={address(place)}
    {...(route.value.place === place ? { "aria-current": "page" } : {})}
    onClick={close}
  >
    <span class="side-text">{text}</span>
    {about === undefined ? null : <span class="side-about">{about}</span>}
  </a>
)

interface SideButtonProps {
  readonly icon: IconName
  readonly text: string
  readonly keys: string
  readonly onClick: () => void
}

const SideButton = ({ icon, keys, onClick, text }: SideButtonProps) => (
  <button type="button" class="side-row" onClick={onClick}>
    <Icon name={icon} />
    <span class="side-text">{text}</span>
    <kbd aria-hidden="true">{keys}</kbd>
  </button>
)

const themeItem = (of: Theme, icon: IconName): MenuItem => ({
  text: shell.themes[of],
  icon: theme.value === of ? "check" : icon,
  act: () => setTheme(of)
})

const items = (): ReadonlyArray<MenuItem> => [
  themeItem("light", "sun"),
  themeItem("dark", "moon"),
  themeItem("system", "system"),
  { text: shell.shortcuts, icon: "keyboard", act: () => isHelpOpen.value = true },
  { text: shell.importChat, icon: "upload", act: chooseChatFile }
]

/** While the drawer is open it has the focus; then the button that opened it. A wide page has no drawer. */
const useDrawer = (isOpen: boolean) => {
  const aside = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    aside.current?.querySelector<HTMLElement>("button, a")?.focus()
    const wide = matchMedia("(min-width: 52rem)")
    wide.addEventListener("change", close)
    return () => {
      wide.removeEventListener("change", close)
      const { activeElement } = document
      if (activeElement === document.body || aside.current?.contains(activeElement) === true) {
        document.querySelector<HTMLElement>("main .narrow-only > button")?.focus()
      }
    }
  }, [isOpen])
  return aside
}

export const Sidebar = () => {
  const isOpen = isDrawerOpen.value
  const aside = useDrawer(isOpen)
  const toFix = agentProblems.value.length
  return (
    <>
      {isOpen ? <div class="scrim" onClick={close} /> : null}
      <aside
        class={isOpen ? "sidebar open" : "sidebar"}
        ref={aside}
        aria-label={shell.sidebar}
        onKeyDown={(event) => {
          if (event.key === "Escape" && isOpen) {
            event.stopPropagation()
            close()
          }
        }}
      >
        <div class={isWorking.value ? "brand working" : "brand"}>
          <Ghost width={20} />
          <strong>{shell.name}</strong>
          <span class="fold-button">
            <Button kind="plain" isSmall icon="sidebar" label={shell.fold} onClick={turnSidebar} />
          </span>
          <Menu label={shell.more} items={items()} />
        </div>
        <div class="side-part">
          <SideButton icon="plus" text={shell.newChat} keys="N" onClick={newChat} />
          <SideButton
            icon="search"
            text={shell.search}
            keys={keysOf("mod+k")}
            onClick={() => {
              close()
              palette.value = "all"
            }}
          />
        </div>
        <ChatList />
        <nav class="side-part" aria-label={shell.panels}>
          <PlaceLink place="servers" text={shell.servers} about={serversInShort.value} />
          <PlaceLink place="agents" text={shell.agents} {...(toFix > 0 ? { about: shell.toFix(toFix) } : {})} />
          <PlaceLink place="settings" text={shell.settings} />
        </nav>
        <ChatImport />
      </aside>
    </>
  )
}
