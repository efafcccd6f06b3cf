/** The words of the conversation and the composer. */
import { translated } from "../language/Language.ts"
import { count } from "./Numbers.ts"

export const chat = translated(
  "chat",
  {
    untitled: "New chat",
    more: "More for this chat",
    soFar: (details: string) => `This chat so far. ${details}`,
    loading: "loading the chat",
    noSuchChat: "There is no such chat",
    notShown: "This chat cannot be shown",
    mayBeDeleted: "It may have been deleted.",
    newChat: "New chat",
    onlyAttached: "See what is attached.",
    conversation: "Conversation",
    toLatest: "Jump to the latest",
    onItsWay: "On its way",
    isEarlier: "This is an earlier version, which the model does not see.",
    backToLatest: "Back to the latest",
    rename: { item: "Rename", label: "Title" },
    pin: "Pin",
    unpin: "Unpin",
    folder: {
      item: "Move to a folder",
      title: "Move the chat to a folder",
      label: "Folder",
      about: "A name that is new makes a folder. An empty one takes the chat out of its folder.",
      submit: "Move"
    },
    remove: {
      item: "Delete",
      title: "Delete the chat?",
      action: "Delete",
      about: (title: string) => `“${title}” and its files are deleted for good. A running turn is stopped.`
    },
    share: {
      item: "Share",
      title: "Share this chat",
      about:
        "Everybody who is signed in here and has this link can read the chat, also what you add later. Nobody else can write in it.",
      copy: "Copy the link",
      takeBack: "Stop sharing",
      done: "Done"
    },
    nearLimit: (percent: number, limit: string) => `You have used ${percent}% of ${limit}.`,
    exportMarkdown: "Export as Markdown",
    exportJson: "Export as JSON"
  } as const
)

/** Before the first message. */
export const welcome = translated(
  "welcome",
  {
    label: "Welcome",
    title: "What shall we do?",
    commandTitle: "Command mode",
    noServer: "No MCP server is ready yet.",
    seeServers: "See the servers",
    servers: (number: number) => count(number, "server"),
    tools: (number: number) => count(number, "tool"),
    withTools: "with",
    areReady: (servers: number) => `${servers === 1 ? "is" : "are"} ready.`,
    commandAbout:
      "No model is configured. You call the tools yourself: type a slash and choose one, which opens its form.",
    howToConfigure: "How to configure a model",
    commands: "Commands and prompts",
    examples: ["What can you do here?"],
    fileExample: "Which files are in the workspace?"
  } as const
)

/** A turn: the message, and what came of it. */
export const turn = translated(
  "turn",
  {
    number: (number: number) => `Turn ${number}`,
    toNote: (label: string) => `To footnote ${label}`,
    you: "You",
    copy: "Copy the answer",
    again: "Try again",
    timeline: "Timeline: what took how long",
    fork: "Fork: a new chat with everything up to here",
    edit: "Edit the message",
    cancel: "Cancel",
    sendAnew: "Send again",
    versions: "Versions of this message",
    stoppedUnanswered: "Stopped before it was answered.",
    finish: {
      length: "Cut: the model reached its limit.",
      steps: "Stopped: the agent's number of steps is used up.",
      stopped: "Stopped.",
      interrupted: "Interrupted: the server ended while this turn ran.",
      "content-filter": "Cut by the provider's content filter."
    },
    reasoning: "Reasoning",
    reasons: "Reasoning …",
    joined: "Your message",
    summary: {
      title: (from: number, to: number) =>
        from === to ? `Turn ${from}, summed up` : `Turns ${from} to ${to}, summed up`,
      edited: "edited by you",
      about: "The model reads this note in place of these turns.",
      original: "Show the turns",
      edit: "Edit the note",
      text: "The note",
      save: "Save"
    },
    oneAway: (server: string) => `${server} is not available.`,
    someAway: (number: number) => `${count(number, "server")} are not available.`,
    servers: "Servers",
    question: "A question",
    notShown: "This part cannot be shown.",
    exportHasIt: "The export of the chat has it.",
    oldResults: (number: number) => count(number, "old tool result"),
    oldTurns: (number: number) => count(number, "old turn"),
    and: " and ",
    earlierParts: "earlier parts",
    compacted: (what: string, before: string, after: string, limit: string) =>
      `To fit the model's context, ${what} are left out of what it reads: ${before} → ${after} of ${limit} tokens. Nothing is deleted.`,
    retried: (message: string, after: string, attempt: number, limit: number) =>
      `${message}. Tried again after ${after} (attempt ${attempt} of ${limit}).`,
    dropped: "What the failed attempt had said",
    done: "The turn is done.",
    stopped: "The turn was stopped.",
    answer: (text: string) => `The answer: ${text}`,
    callWaits: (tool: string) => `The call of ${tool} waits for you.`,
    serverAsks: (server: string) => `The server ${server} asks something and waits for you.`,
    isCalled: (tool: string) => `${tool} is called.`,
    isAnswering: (agent: string) => `${agent} is answering.`
  } as const
)

export const waiting = translated(
  "waiting",
  {
    label: "Messages that wait",
    now: "Send now",
    nowAbout: "The running turn takes it at its next step",
    hurried: "is sent at the next step",
    edit: "Edit: take it back to the field",
    remove: "Remove this message",
    unreadable: (name: string) => `${name} cannot be read again`
  } as const
)

export const call = translated(
  "call",
  {
    label: (tool: string) => `Tool call ${tool}`,
    used: (number: number) => `Used ${count(number, "tool")}`,
    failed: (number: number) => `${number} failed`,
    expandAll: "Expand all",
    collapseAll: "Collapse all",
    running: "running",
    writing: (size: string) => `writing ${size}`,
    done: "done, ",
    failedAfter: (time: string) => `failed, ${time}: `,
    waits: "waits for you",
    notFinished: "not finished",
    stopped: "stopped",
    denied: "Denied",
    arguments: "Arguments",
    argumentsTo: (server: string | null) =>
      server === null ? "Arguments, to a built-in tool" : `Arguments, to the server ${server}`,
    noArguments: "No arguments",
    sent: "Arguments that were sent",
    json: "JSON",
    fields: "Fields",
    result: "Result",
    error: "Error",
    beginning: (shown: string, all: string) => `This is the beginning, ${shown} of ${all}.`,
    showAll: "Show all of it",
    cut: (shown: string, all: string) => `Cut: ${shown} of ${all} are shown.`,
    keptAs: "The whole of it is kept as",
    pictureFrom: (tool: string) => `from ${tool}`,
    more: (first: string, lines: number) => `${first} … ${count(lines, "line")}`
  } as const
)

/** The words for the answer to a call that waited for a yes. */
export const answered = translated(
  "answered",
  {
    answers: {
      once: "Allowed once",
      chat: "Allowed for this chat",
      hour: "Allowed for an hour",
      always: "Allowed always",
      deny: "Denied",
      expired: "Nobody answered in time, so it was not called"
    },
    where: (answer: string, where: string) => `${answer}, where ${where}`,
    otherArguments: (answer: string) => `${answer}, with other arguments.`,
    denied: (reason: string) => `Denied: ${reason}`,
    is: (name: string, wanted: string) => `${name} is ${wanted}`,
    oneOf: (values: string) => `one of ${values}`,
    atMost: (max: number) => `at most ${max}`,
    atLeast: (min: number) => `at least ${min}`,
    between: (min: number, max: number) => `${min} to ${max}`,
    and: " and "
  } as const
)

/** Whether tools can write in a chat. */
export const writeMode = translated(
  "writeMode",
  {
    label: "Tools that write",
    modes: { off: "Writing off", ask: "Writing asks", rules: "Writing by rules" },
    about: {
      off: "No tool that writes is called",
      ask: "Tools that write ask you first",
      rules: "Tools that write are called where a rule allows it"
    },
    until: (time: string) => ` until ${time}`
  } as const
)

export const composer = translated(
  "composer",
  {
    label: "Write a message",
    field: "Message",
    placeholder: "Write a message",
    commandPlaceholder: "/tool {\"argument\": …}",
    keys: "Enter sends, Shift and Enter start a new line, Escape stops the turn.",
    touchKeys: "Return starts a new line.",
    attach: "Attach files: text, CSV, code, PDF or images",
    attached: "Attached",
    remove: (name: string) => `Remove ${name}`,
    meant: "Did you mean",
    asText: "Put it back as text",
    asTextLabel: (name: string) => `Put ${name} back as text`,
    stop: "Stop",
    stopKey: "esc",
    send: "Send",
    queue: "Queue the message",
    suggestions: "Suggestions",
    groups: { command: "Commands", prompt: "Prompts", tool: "Tools", agent: "Agents", resource: "Resources" }
  } as const
)

export const pickers = translated(
  "pickers",
  {
    agent: "Agent",
    findAgent: "Find an agent",
    gone: "not there any more",
    model: "Model",
    findModel: "Find a model, or type PROVIDER/ID",
    commandMode: "Command mode",
    default: (name: string) => `Default: ${name}`,
    useIt: (model: string) => `Use ${model}`,
    another: "Another",
    notSetUp: (provider: string) => `${provider} · not set up`,
    noModel: "No model is configured, so chats are in command mode.",
    tokens: (tokens: string) => `${tokens} tokens`,
    pictures: "pictures",
    lastUsed: "Last used",
    prices: (input: string, output: string) => `${input} in, ${output} out`,
    servers: "Servers",
    findServer: "Find a server or a tool",
    serverCount: (ready: number) => count(ready, "server"),
    someServers: (on: number, ready: number) => `${on} of ${count(ready, "server")}`,
    offHere: "off in this chat",
    toolGroup: "Tools",
    inThisChat: "Choose what is on or off in this chat.",
    allServers: "All servers",
    toolCount: (tools: number) => count(tools, "tool"),
    serverGroups: { needsYou: "Needs you", ready: "Ready", off: "Off" },
    serverStates: {
      ready: "ready",
      connecting: "connecting",
      failed: "failed",
      "needs-auth": "needs login",
      "needs-approval": "needs approval",
      disabled: "off",
      stopped: "stopped"
    }
  } as const
)

export const usage = translated(
  "usage",
  {
    input: (tokens: string) => `${tokens} in`,
    output: (tokens: string) => `${tokens} out`,
    cacheRead: (tokens: string) => `${tokens} read from the cache`,
    cacheWritten: (tokens: string) => `${tokens} written to the cache`,
    reasoning: (tokens: string) => `${tokens} of the output is reasoning`
  } as const
)

export const commands = translated(
  "commands",
  {
    new: "Begin a new chat",
    retry: "Answer the last message again",
    stop: "Stop the answer that is being written",
    model: "Answer with this model from now on",
    agent: "Talk to this agent from now on",
    export: "Save this chat, as markdown or json",
    rename: "Rename this chat",
    delete: "Delete this chat",
    servers: "Show the MCP servers",
    tools: "Show the tools, and try one out",
    help: "Show the keyboard shortcuts",
    noChat: "There is no chat yet.",
    noAgent: (name: string) => `There is no agent ${name}.`
  } as const
)

export const promptForm = translated(
  "promptForm",
  {
    use: "Use this prompt",
    cancel: "Cancel",
    optional: (name: string) => `${name} (optional)`
  } as const
)

export const toolForm = translated(
  "toolForm",
  {
    cancel: "Cancel",
    run: "Run"
  } as const
)

/** The words about attachments, and why something is not attached. */
export const files = translated(
  "files",
  {
    picture: "picture",
    pasted: (number: number) => number === 1 ? "pasted.txt" : `pasted-${number}.txt`,
    pdf: "PDF",
    file: "file",
    about: (kind: string, size: string) => `${kind} · ${size}`,
    unreadable: "the file cannot be read",
    notSmaller: "this browser cannot make the picture smaller",
    noPicture: (name: string) => `${name} is not a picture that this browser can read`,
    notRead: (name: string) => `${name} cannot be read. A folder cannot be attached.`,
    tooMany: (name: string, most: number) => `${name} is not attached: a message takes ${most} attachments.`,
    tooLarge: (name: string, size: string, most: string) =>
      `${name} is not attached: it has ${size}, and ${most} is the most.`,
    tooMuch: (name: string, most: string) => `${name} is not attached: a message takes ${most} of attachments.`,
    notLetThrough: (name: string) =>
      `${name} was not sent: the message is larger than the server, or a proxy in front of it, takes.`
  } as const
)
