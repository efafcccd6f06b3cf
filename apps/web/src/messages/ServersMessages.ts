/** The words of the panel of servers. */
import { translated } from "../language/Language.ts"
import { count } from "./Numbers.ts"

export const servers = translated(
  "servers",
  {
    title: "Servers",
    groups: { needsYou: "Needs you", ready: "Ready", off: "Off" },
    add: "Add server",
    more: "More for the servers",
    tools: "All tools",
    readAgain: "Read the configuration files again",
    unchanged: "Nothing changed in the configuration.",
    configChanged: (what: string) => `The configuration changed: ${what}.`,
    configVerbs: { added: "added", changed: "changed", removed: "removed" },
    find: "Find a server",
    findHint: "Find a server by name, state or file",
    none: "No server is configured",
    noneAbout: "Add one here, or write it into mcp.json of the data folder. BooCode reads the file when it is saved.",
    notFound: "No server matches",
    noSuch: (name: string) => `There is no server ${name}`,
    mayBeRemoved: "It may have been removed from the configuration.",
    all: "All servers",
    label: (name: string, state: string) => `${name}, ${state}`,
    moreFor: (name: string) => `More for ${name}`,
    states: {
      ready: "ready",
      idle: "idle",
      connecting: "connecting",
      failed: "failed",
      "needs-auth": "needs login",
      "needs-approval": "needs approval",
      disabled: "off",
      stopped: "stopped"
    },
    transports: { stdio: "command", streamableHttp: "remote", sse: "remote, SSE" },
    unknownTransport: "unknown transport",
    wantsLogin: "Wants you to log in.",
    needsToken: "needs your token",
    wantsToken: (name: string) => `It needs your ${name}. Each person has a server of their own here.`,
    giveToken: "Give it",
    giveTokenOf: (name: string, server: string) => `Give it: ${name} for ${server}`,
    wantsApproval: "A file of the project declares it. It starts once you approve it.",
    toolsChanged: (number: number) => `${count(number, "tool")} changed since you accepted them.`,
    starting: "Starting …",
    downloading: "Starting for the first time, which may download it …",
    wakes: "It starts when it is called.",
    facts: {
      tools: (number: number) => count(number, "tool"),
      tokens: (tokens: string) => `${tokens} tokens`,
      up: (time: string) => `up in ${time}`,
      ask: (number: number) => `${number} ${number === 1 ? "asks" : "ask"} first`,
      restarts: (number: number) => count(number, "restart"),
      personal: (running: number) => `personal, ${running} running`,
      for: (who: string) => `for ${who}`
    },
    verbs: {
      start: { text: "Start", doing: "starting" },
      stop: { text: "Stop", doing: "stopping" },
      restart: { text: "Restart", doing: "restarting" },
      refresh: { text: "Refresh", doing: "listing its tools again" },
      enable: { text: "Turn on", doing: "turning on" },
      disable: { text: "Turn off", doing: "turning off" }
    },
    verbOf: (verb: string, name: string) => `${verb} ${name}`,
    log: "Log",
    details: "Details",
    remove: "Remove …",
    unset: (variable: string) => `The variable ${variable} is not set.`,
    wrongKey: (key: string, what: string) => `The key ${key} is wrong: ${what}.`,
    usedIn: (key: string, file: string, line: string) => `It is used in ${key}, ${file} line ${line}.`,
    /** For a page that is not English: the server's own sentence has more in it, and is below. */
    errors: {
      CommandNotFound: "Its command was not found. Install it, or write its full path.",
      SpawnFailed: "Its command could not be started.",
      Exited: "It ended by itself. Its standard error says why.",
      CrashLoop: "It ended again and again, and is tried once a minute. Its standard error says why.",
      HandshakeTimeout: "It did not answer in time when it was started.",
      HandshakeFailed: "It did not answer as an MCP server when it was started.",
      ProtocolMismatch: "It speaks no revision of the protocol that BooCode knows.",
      ListFailed: "It could not list its tools.",
      ConnectionLost: "The connection to it broke off.",
      HttpStatus: "Its address answered with an error.",
      AuthRequired: "It wants a login.",
      AuthRejected: "It refused the credentials. Log in again, or correct the key.",
      NotApproved: "A file of the project declares it. It starts once you approve it."
    },
    wholeMessage: "The whole message",
    wentWrong: (name: string) => `What went wrong with ${name}`,
    stderr: "Standard error",
    stderrOf: (name: string) => `Standard error of ${name}`,
    rejected: (number: number) => `${count(number, "tool")} rejected`,
    andMore: (number: number) => `and ${number} more`,
    offer: (number: number) =>
      number === 1 ? "Offer it, each call with your yes" : `Offer the ${number} that write, each call with your yes`,
    of: (text: string, name: string) => `${text}: ${name}`,
    offering: "offering them",
    writesAskFirst: (number: number) =>
      `${number === 1 ? "1 that writes asks" : `${number} that write ask`} you before each call`,
    keepOff: "Stop offering them",
    keepingOff: "turning them off"
  } as const
)

export const login = translated(
  "login",
  {
    label: (server: string) => `Login to ${server}`,
    logIn: "Log in",
    logInAgain: "Log in again",
    logInTo: (server: string) => `Log in to ${server}`,
    askingWhere: "asking where to log in",
    loggingIn: (server: string) => `Logging in to ${server} …`,
    atAddress: (server: string) =>
      `Log in to ${server} at this address. What you see here goes on by itself when you are done.`,
    toLogIn: (server: string) => `to log in to ${server}`,
    open: "Open the login page",
    cancel: "Cancel",
    cancelOf: (server: string) => `Cancel the login to ${server}`,
    otherMachine: "Logging in with a browser on another machine?"
  } as const
)
