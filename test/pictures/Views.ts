/** Every view of the page: where it is, and what is done there before its picture is taken. */
import type { Page } from "playwright-core"
import { CHATS } from "./Data.ts"
import * as Measured from "./Measured.ts"

export interface View {
  readonly name: string
  /** After `/#/`. */
  readonly path: string
  /** The first message of the chat that is shown, in place of a path. */
  readonly chat?: string
  readonly locale?: string
  /** Of somebody who has not signed in. */
  readonly isStranger?: boolean
  /** Before the page is opened. */
  readonly before?: (page: Page) => Promise<unknown>
  /** Waits for what the view needs beside its heading, or opens it. */
  readonly then?: (page: Page) => Promise<unknown>
}

const text = (words: string | RegExp) => (page: Page) => page.getByText(words).first().waitFor()
const press = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click()
const dialog = (page: Page) => page.getByRole("dialog").first().waitFor()
const menu = (page: Page) => page.getByRole("menu").first().waitFor()
const answered = (page: Page) => page.locator("article[aria-busy=false]:not(.pending)").first().waitFor()
const formula = (page: Page) => page.locator(".katex").first().waitFor()

/** One after the other. */
const all = (...steps: ReadonlyArray<(page: Page) => Promise<unknown>>) => async (page: Page) => {
  for (const step of steps) await step(page)
}

const view = (name: string, path: string, more: Omit<View, "name" | "path"> = {}): View => ({ name, path, ...more })

const [glaciers, budget, bars, notes, letter, receive] = CHATS.map(([message]) => message)

const ofChat = (name: string, chat = "", then: View["then"] = answered, locale?: string): View => ({
  ...view(name, "", locale === undefined ? { then } : { then, locale }),
  chat
})

/** Those of a person who works. */
/** The page of an artifact: the frame of the sandbox holds one of its own. */
const previewed = (page: Page) =>
  page.getByRole("complementary", { name: /beside the chat$/ }).locator("iframe").contentFrame().locator("iframe")
    .contentFrame()

export const TEAM: ReadonlyArray<View> = [
  view("start", "", { then: text("Assistant") }),
  view("start-zh", "", { locale: "zh-CN", then: text("Assistant") }),
  ofChat("chat", notes, all(answered, formula)),
  ofChat("chat-ja", notes, all(answered, formula), "ja"),
  ofChat(
    "chat-tools",
    notes,
    all(answered, formula, press(/^Used 4 tools/), (page) => page.locator(".call-row").first().scrollIntoViewIfNeeded())
  ),
  ofChat("chat-menu", notes, all(answered, formula, press("More for this chat"), menu)),
  ofChat("chat-approval", letter, text("Dear Ms Almeida")),
  ofChat("chat-approval-de", letter, text("Dear Ms Almeida"), "de-DE"),
  ofChat("chat-question", receive, text("As on the contract")),
  ofChat("chat-question-es", receive, text("As on the contract"), "es-ES"),
  ofChat("chat-failed", budget),
  {
    ...ofChat("timeline", notes, all(answered, formula, press(/^Timeline/), dialog, text("Model, request"))),
    before: Measured.timeline
  },
  ofChat(
    "artifact",
    bars,
    all(answered, press(/Revenue/), (page) => previewed(page).locator("body > *").first().waitFor())
  ),
  ofChat("palette", glaciers, all(answered, (page) => page.keyboard.press("Control+k"), dialog)),
  ofChat(
    "shortcuts",
    glaciers,
    all(answered, (page) => page.evaluate("document.activeElement.blur()"), (page) => page.keyboard.press("?"), dialog)
  ),
  ofChat("models", glaciers, all(answered, press(/^Model:/), dialog)),
  view("completion", "", {
    then: all(text("Assistant"), (page) => page.getByRole("textbox", { name: "Message" }).fill("/"), text("list_dir"))
  }),
  view("servers", "servers", { then: text("boom: exits at call") }),
  view("servers-zh", "servers", { locale: "zh-CN", then: text("weather") }),
  view("server", "servers/files", { then: text("mcp.json") }),
  view("server-day", "servers/files/activity"),
  view("server-broken", "servers/broken", { then: text("boom: exits at call") }),
  view("server-tools", "servers/files/tools", { then: text("read_text_file") }),
  view("server-log", "servers/broken/log", { then: text("boom: exits at call") }),
  view("server-edit", "servers/files/edit", { then: text("JSON") }),
  view("server-add", "servers/+add", { then: dialog }),
  view("server-find", "servers/+find"),
  // Its colours come later, with a text of their own.
  view("server-connect", "servers/+connect", {
    then: all(dialog, (page) => page.locator(".hljs-attr").first().waitFor())
  }),
  view("tools", "tools", { then: text("read_text_file") }),
  view("tool", "tools/files_read_text_file", {
    then: all(
      (page) => page.getByRole("textbox", { name: "path *" }).fill("notes.md"),
      (page) => page.getByRole("button", { name: "Run", exact: true }).click(),
      text("Revenue grew by 12 %.")
    )
  }),
  view("agents", "agents", { then: text("Answers questions") }),
  view("agent", "agents/edit/Reader", { then: text("files_*") }),
  view("settings", "settings", { then: text("This server") }),
  view("settings-ja", "settings", { locale: "ja", then: (page) => page.locator(".setting-group").first().waitFor() }),
  view("permissions", "settings/permissions"),
  view("clients", "settings/clients"),
  view("usage", "settings/usage"),
  view("health", "settings/health", { before: Measured.metrics, then: text("/api/chats") }),
  view("history", "settings/history", { before: Measured.history, then: text("Version 7") }),
  view("history-restore", "settings/history", {
    before: Measured.history,
    then: all(press("Compare version 6 of mcp.json"), dialog, text("calendar"))
  }),
  view("nobody", "settings/people", { then: text("This server has one person") }),
  view("lost", "servers/elsewhere", { then: text("elsewhere") })
]

/** Those of a server of several people. */
export const PEOPLE: ReadonlyArray<View> = [
  view("people", "settings/people", { then: text("Bob") }),
  view("account", "settings/account", { then: text("laptop") }),
  view("audit", "settings/audit", { then: text("read_text_file") }),
  view("usage-people", "settings/usage"),
  view("device", "device"),
  view("sign-in", "", { isStranger: true, then: (page) => page.getByLabel("Password").first().waitFor() })
]

/** Those of a server on which nothing is set up. */
export const NEW: ReadonlyArray<View> = [view("connect-model", "")]

/** The few that `pnpm test` compares, each at one size in one theme. */
export const FEW = [
  ["chat", 0, "light"],
  ["chat-approval", 2, "dark"],
  ["servers-zh", 1, "light"],
  ["settings-ja", 2, "light"],
  ["palette", 1, "dark"]
] as const
