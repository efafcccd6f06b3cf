/** The pages of the site in the order in which somebody new reads them, from the first chat to running it for others. */

export interface Group {
  readonly text: string
  readonly collapsed?: boolean
  readonly items: ReadonlyArray<Item>
}

export interface Item {
  readonly text: string
  /** From the root of the site: `/models` is `docs/models.md`. */
  readonly link: string
}

export const sidebar: ReadonlyArray<Group> = [
  {
    text: "Begin",
    items: [
      { text: "Five minutes", link: "/start" },
      { text: "Models", link: "/models" },
      { text: "Agents", link: "/agents" },
      { text: "Agents as models", link: "/agents-as-models" },
      { text: "Programs", link: "/programs" },
      { text: "Chats", link: "/chats" },
      { text: "What a chat shows", link: "/answers" },
      { text: "Attachments", link: "/attachments" },
      { text: "The command line", link: "/command-line" },
      { text: "Programs by hand", link: "/run" }
    ]
  },
  {
    text: "Recipes",
    items: [
      { text: "Ask about a code base", link: "/recipes/code-base" },
      { text: "An agent with a browser", link: "/recipes/browser" },
      { text: "A server for a team", link: "/recipes/team" },
      { text: "Many servers for Claude Code", link: "/recipes/claude-code" }
    ]
  },
  {
    text: "Servers",
    items: [
      { text: "Configuration", link: "/configuration" },
      { text: "Install from the registry", link: "/registry" },
      { text: "Import and export", link: "/import" },
      { text: "Connect your clients", link: "/connect" },
      { text: "The gateway", link: "/gateway" },
      { text: "Sign in", link: "/oauth" },
      { text: "Questions of servers", link: "/questions" },
      { text: "Apps of servers", link: "/apps" },
      { text: "Your tools in other programs", link: "/clients" },
      { text: "The protocol", link: "/mcp" }
    ]
  },
  {
    text: "Stay in charge",
    items: [
      { text: "People", link: "/team" },
      { text: "Trust", link: "/trust" },
      { text: "Approvals", link: "/approvals" },
      { text: "Permissions", link: "/permissions" },
      { text: "Writing and undo", link: "/undo" }
    ]
  },
  {
    text: "Run it",
    items: [
      { text: "Operation", link: "/operation" },
      { text: "Security", link: "/security" },
      { text: "Storage", link: "/storage" },
      { text: "A fleet", link: "/fleet" },
      { text: "Backup", link: "/backup" },
      { text: "Observability", link: "/observability" },
      { text: "Platforms", link: "/platforms" }
    ]
  },
  {
    text: "How it was tested",
    collapsed: true,
    items: [
      { text: "Requirements", link: "/requirements" },
      { text: "Conformance", link: "/conformance" },
      { text: "Interop", link: "/interop" },
      { text: "Performance", link: "/performance" },
      { text: "The page, looked after", link: "/page" },
      { text: "Side by side", link: "/side-by-side" },
      { text: "The soak", link: "/soak" },
      { text: "Decisions", link: "/decisions" }
    ]
  }
]
