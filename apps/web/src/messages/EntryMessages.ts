/** The words where servers are added, edited, tried and imported. */
import { translated } from "../language/Language.ts"
import { count } from "./Numbers.ts"

export const entry = translated(
  "entry",
  {
    tab: "Edit",
    edit: "Edit",
    editOf: (name: string) => `Edit ${name}`,
    loading: "reading the entry",
    form: "Form",
    json: "JSON",
    jsonOf: (name: string) => `The entry of ${name} as JSON`,
    jsonAbout:
      "Comments and trailing commas are welcome. •••••••• stands for a secret: leave it, and the secret stays.",
    name: "Name",
    nameAbout: "The names of its tools begin with it.",
    lines: "One per line",
    map: { noun: "Variable", header: "Header" },
    unset: "not set",
    yes: "yes",
    no: "no",
    more: (number: number) => `${count(number, "more setting")}`,
    inJson: "This is edited as JSON.",
    notJson: "Correct the JSON first: the form shows what it says.",
    noObject: "An entry is an object: { … }.",
    at: (line: number, column: number) => `Line ${line}, column ${column}`,
    goThere: "Go there",
    place: (file: string, line: number | null) => line === null ? file : `${file}:${line}`,
    fixed: "It cannot be edited here:",
    stale: (file: string) => `The entry was changed in ${file} meanwhile, so nothing was saved.`,
    staleHint: "Reloading it drops what you changed here.",
    reload: "Reload it",
    command: "On the machine itself, this command does it:",
    commandLabel: "The command line",
    save: "Save",
    try: "Try it",
    tryOf: (name: string) => `Try it: ${name}`,
    trying: "starting it for a trial",
    trial: (name: string) => `Trial of ${name}`,
    works: (tools: number, rejected: number, millis: string) =>
      `It works: ${count(tools, "tool")}, up in ${millis}.${
        rejected === 0
          ? ""
          : ` ${rejected} more ${rejected === 1 ? "is" : "are"} rejected until you let ${
            rejected === 1 ? "it" : "them"
          }.`
      }`,
    needsLogin: "It answers, and wants a login: log in after it is added.",
    log: "What it said",
    logOf: (name: string) => `What ${name} said`,
    tools: "Its tools",
    saved: (name: string) => `Saved ${name}.`,
    cancel: "Cancel",
    variable: {
      enter: "Enter it",
      enterOf: (variable: string, server: string) => `Enter it: ${variable} for ${server}`,
      title: (variable: string) => `Enter ${variable}`,
      about: (server: string) =>
        `It is written into .env of the data folder, which only you can read, and ${server} is started.`,
      save: "Save and start"
    },
    add: {
      title: "Add servers",
      field: "What is it?",
      about: "Paste anything: the JSON of a README, “claude mcp add …”, a command line, an address.",
      placeholder:
        "npx -y @modelcontextprotocol/server-filesystem .\nhttps://mcp.example.com/mcp\n{ \"mcpServers\": { … } }",
      understood: "What was understood",
      nameOf: (server: string) => `Name of ${server}`,
      isTaken: "There is a server with this name: give another one.",
      noName: "Give it a name.",
      wants: (server: string) => `Add ${server}`,
      asJson: "As it will be written",
      split: "Split it",
      add: (number: number) => number < 2 ? "Add" : `Add ${number} servers`,
      added: (names: string) => `Added ${names}.`,
      find: "Find a server",
      import: "Import from other applications"
    },
    imports: {
      title: "Import from other applications",
      looking: "looking for other applications",
      none: "No other application of this machine has servers that can be taken over.",
      list: (application: string) => `Servers of ${application}`,
      isThere: "is there already",
      differs: (keys: string) => `is there and differs: ${keys}`,
      import: (number: number) => `Import ${count(number, "server")}`,
      importing: "importing",
      report: "What was imported",
      outcomes: { added: "added", changed: "replaced", unchanged: "the same", skipped: "left as it is" },
      held: "It is off: its file belongs to a project. Look at it, then turn it on.",
      off: "It is off, as it was there.",
      done: "Done",
      open: "Import"
    },
    connections: {
      open: "Use in other applications",
      title: "Use BooCode in other applications",
      about: "Each gets one entry, and with it all your servers. Run the command on the machine of this server.",
      looking: "looking for other applications",
      list: "Applications",
      connected: (profile: string) => profile === "default" ? "connected" : `connected (${profile})`,
      notConnected: "not connected",
      notFound: "not found",
      others: (number: number) => count(number, "other server"),
      copy: (command: string) => `Copy ${command}`,
      other: "Another application",
      otherAbout: "Most read an entry such as this one:"
    }
  } as const
)
