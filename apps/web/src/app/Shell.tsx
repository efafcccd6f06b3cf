/** The page as a whole: the sidebar, and beside it the conversation or a panel. */
import { useEffect } from "preact/hooks"
import { needsLogin } from "../api/Client.ts"
import { ChatDialogs } from "../chat/ChatMenu.tsx"
import { ChatPage } from "../chat/ChatPage.tsx"
import { shell } from "../messages/ShellMessages.ts"
import { LooseQuestions } from "../questions/LooseQuestions.tsx"
import { isDrawerOpen, isFolded } from "../state/Drawer.tsx"
import { connection } from "../state/Live.ts"
import { type Place, route } from "../state/Route.ts"
import { lazy } from "../ui/Lazy.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { Palette } from "./Palette.tsx"
import { Shortcuts } from "./Shortcuts.tsx"
import { Sidebar } from "./Sidebar.tsx"
import { ToastList } from "./ToastList.tsx"

/** Each panel is a chunk of its own. */
const PANELS = {
  servers: lazy(() => import("../servers/ServersPanel.tsx").then(({ ServersPanel }) => ServersPanel)),
  tools: lazy(() => import("../tools/ToolsPanel.tsx").then(({ ToolsPanel }) => ToolsPanel)),
  agents: lazy(() => import("../agents/AgentsPanel.tsx").then(({ AgentsPanel }) => AgentsPanel)),
  settings: lazy(() => import("../settings/SettingsPanel.tsx").then(({ SettingsPanel }) => SettingsPanel)),
  clients: lazy(() => import("../clients/ClientsPanel.tsx").then(({ ClientsPanel }) => ClientsPanel)),
  permissions: lazy(() =>
    import("../permissions/PermissionsPanel.tsx").then(({ PermissionsPanel }) => PermissionsPanel)
  ),
  people: lazy(() => import("../people/PeoplePanel.tsx").then(({ PeoplePanel }) => PeoplePanel)),
  audit: lazy(() => import("../people/AuditPanel.tsx").then(({ AuditPanel }) => AuditPanel)),
  shared: lazy(() => import("../people/SharedPanel.tsx").then(({ SharedPanel }) => SharedPanel)),
  device: lazy(() => import("../people/device/DevicePanel.tsx").then(({ DevicePanel }) => DevicePanel)),
  account: lazy(() => import("../people/account/AccountPanel.tsx").then(({ AccountPanel }) => AccountPanel)),
  health: lazy(() => import("../settings/health/HealthPanel.tsx").then(({ HealthPanel }) => HealthPanel)),
  history: lazy(() => import("../settings/history/HistoryPanel.tsx").then(({ HistoryPanel }) => HistoryPanel)),
  usage: lazy(() => import("../people/usage/UsagePanel.tsx").then(({ UsagePanel }) => UsagePanel))
}

/** For a person that the server does not know yet. */
const SignInPage = lazy(() => import("../people/SignInPage.tsx").then(({ SignInPage }) => SignInPage))
const InvitationPage = lazy(() => import("../people/SignInPage.tsx").then(({ InvitationPage }) => InvitationPage))

/** The pages beside the settings. */
const BESIDE = ["permissions", "clients", "people", "account", "audit", "usage", "health", "history"] as const

const panelOf = (place: Exclude<Place, "chat" | "invitation">, [first]: ReadonlyArray<string>) =>
  place === "settings" ? BESIDE.find((name) => name === first) ?? place : place

const Main = (
  { place, rest }: { readonly place: Exclude<Place, "invitation">; readonly rest: ReadonlyArray<string> }
) => {
  if (place === "chat") return <ChatPage id={rest[0] ?? null} />
  const name = panelOf(place, rest)
  const Panel = PANELS[name]
  return <Panel key={name} rest={rest} />
}

const Offline = () =>
  connection.value === "open"
    ? null
    : (
      <p class="offline" role="status">
        <Spinner label="" /> {shell.offline}
      </p>
    )

export const Shell = () => {
  const { place, rest } = route.value
  useEffect(() => {
    isDrawerOpen.value = false
  }, [place, rest])
  if (place === "invitation") return <InvitationPage rest={rest} />
  if (needsLogin.value) return <SignInPage rest={rest} />
  return (
    <div class={isFolded.value ? "frame folded" : "frame"}>
      <a
        class="skip"
        inert={isDrawerOpen.value}
        href={place === "chat" ? "#message" : "#content"}
        onClick={(event) => {
          event.preventDefault()
          document.querySelector<HTMLElement>("#message, #content")?.focus()
        }}
      >
        {shell.skip}
      </a>
      <Sidebar />
      <main class="main" inert={isDrawerOpen.value}>
        <Offline />
        <LooseQuestions />
        <Main place={place} rest={rest} />
      </main>
      <ToastList />
      <Palette />
      <Shortcuts />
      <ChatDialogs />
    </div>
  )
}
