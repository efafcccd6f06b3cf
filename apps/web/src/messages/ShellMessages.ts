/** The words of the frame of the page: sidebar, palette, shortcuts, login. */
import { translated } from "../language/Language.ts"
import { count } from "./Numbers.ts"

export const shell = translated(
  "shell",
  {
    name: "BooCode",
    sidebar: "Chats and panels",
    fold: "Fold the sidebar",
    skip: "Skip to the content",
    offline: "The server does not answer; trying again … What you write is kept in this browser.",
    newChat: "New chat",
    search: "Search",
    chats: "Chats",
    panels: "Panels",
    more: "More for BooCode",
    importChat: "Import a chat",
    imported: (title: string) => `Imported “${title}”.`,
    there: (title: string) => `“${title}” was there already.`,
    importedAll: ({ imported, present, refused }: Readonly<Record<"imported" | "present" | "refused", number>>) =>
      [
        `Imported ${count(imported, "chat")}`,
        ...(present === 0 ? [] : [`${present} ${present === 1 ? "was" : "were"} there already`]),
        ...(refused === 0 ? [] : [`left out ${refused}`])
      ].join(", ") + ".",
    noConversations: "There are no conversations in this file.",
    whichExport: "Choose the zip that ChatGPT or Claude made, or conversations.json of it.",
    themes: { system: "System theme", light: "Light theme", dark: "Dark theme" },
    shortcuts: "Keyboard shortcuts",
    loadingChats: "loading the chats",
    noChats: "No chats yet.",
    pinned: "Pinned",
    today: "Today",
    yesterday: "Yesterday",
    earlier: "Earlier",
    waits: "waits for you",
    running: "running",
    moreFor: (title: string) => `More for ${title}`,
    servers: "Servers",
    tools: "Tools",
    agents: "Agents",
    permissions: "Permissions",
    settings: "Settings",
    addServer: "Add server",
    ready: (number: number) => `${number} ready`,
    failed: (number: number) => `${number} failed`,
    toLogIn: (number: number) => `${number} to log in`,
    toApprove: (number: number) => `${number} to approve`,
    connecting: (number: number) => `${number} connecting`,
    toFix: (number: number) => `${number} to fix`,
    palette: "Search",
    paletteHint: "Search chats, servers, tools and commands",
    model: "Change the model …",
    agent: "Change the agent …",
    stop: "Stop the turn",
    fork: "Fork: a new chat with everything so far",
    groups: { chats: "Chats", commands: "Commands", places: "Go to", servers: "Servers", tools: "Tools" },
    login: {
      token: "Token",
      about: "It was printed when this server was first started, and is kept in its state folder.",
      submit: "Log in"
    }
  } as const
)

/** The words of a notification. */
export const attention = translated(
  "attention",
  {
    waits: (title: string) => `${title} waits for you`,
    call: (tool: string) => `May ${tool} be called?`,
    question: (server: string, message: string) => `${server} asks: ${message}`,
    sampling: (server: string) => `May ${server} use the model?`
  } as const
)

/** The list of shortcuts: what each does. */
export const keys = translated(
  "keys",
  {
    help: "This list",
    newChat: "A new chat",
    sidebar: "Fold the sidebar, or bring it back",
    palette: "Search chats and commands",
    model: "Change the model of the chat",
    agent: "Change the agent of the chat",
    servers: "Servers",
    tools: "Tools",
    send: "Send the message",
    line: "A new line",
    escape: "Stop the running turn, close what is open",
    edit: "Edit the last message, in an empty field",
    slash: "Commands, tools and prompts, at the beginning of a message",
    at: "Agents, at the beginning; resources, anywhere"
  } as const
)
