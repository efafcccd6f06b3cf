/** The words about the MCP clients of this server. */
import { translated } from "../../language/Language.ts"
import { count } from "../Numbers.ts"

export const clients = translated(
  "clients",
  {
    title: "MCP clients",
    about: "Other programs use the tools of all servers through BooCode: one set of processes, one set of keys.",
    reading: "reading who is connected",
    connected: "Connected",
    nobody: "No client is connected.",
    lost: "The list is not being updated; trying again …",
    from: (name: string) => `as ${name}`,
    profile: (profile: string) => `profile ${profile}`,
    since: (time: string) => `since ${time}`,
    calls: (calls: number) => count(calls, "call"),
    running: (number: number) => `${number} running`,
    last: "Last called",
    end: "End",
    endOf: (name: string) => `End ${name}`,
    known: "With a token",
    noneKnown: "No client has a token. Programs of this machine need none.",
    remove: "Remove …",
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeAbout: "Its token stops working, and it is disconnected.",
    removeAction: "Remove it",
    add: "Let a client in",
    name: "Name",
    nameAbout: "For you, for instance the application and the machine it is on.",
    offered: "What it is offered",
    addAction: "Make a token",
    token: (name: string) => `The token of ${name}`,
    tokenAbout: "It is shown this once. The client sends it as Authorization: Bearer TOKEN to this address:",
    copyToken: "Copy the token",
    start: "Programs that start a command",
    startAbout: "Most applications take a command. Give them this one:",
    profiles: "Profiles",
    profilesAbout: "What clients may see and do. They are kept in",
    tools: "Tools",
    exposure: {
      auto: "what suits the client",
      flat: "all tools by name",
      search: "a search",
      code: "a search and code"
    },
    write: { off: "no tool that writes", ask: "asks before each write", rules: "writes as the rules say" },
    bare: "names without the server"
  } as const
)
