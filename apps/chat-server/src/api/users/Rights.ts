/** The right that each route of the API needs. A route that is missing here does not compile. */
import type { ChatApi } from "../ChatApi.ts"

/**
 * `everyone` asks for nobody. `member` is what people do with their own things. `own` is the same for what a program's token must
 * not do for them, such as making another token. `admin` is what holds for everyone.
 */
export type Right = "everyone" | "member" | "own" | "admin"

type Groups = typeof ChatApi.groups

export type Rights = {
  readonly [Group in keyof Groups]: Readonly<Record<keyof Groups[Group]["endpoints"], Right>>
}

export const RIGHTS: Rights = {
  health: { health: "everyone" },
  about: { about: "member" },
  fleet: { nodes: "admin", drain: "admin", versions: "admin", compare: "admin", restore: "admin" },
  access: { login: "everyone", logout: "member" },
  signIn: { ways: "everyone", signIn: "everyone", invitation: "everyone", accept: "everyone" },
  me: {
    get: "member",
    password: "own",
    sessions: "own",
    endSession: "own",
    tokens: "own",
    addToken: "own",
    removeToken: "own",
    secrets: "member",
    setSecret: "member",
    removeSecret: "member"
  },
  device: { begin: "everyone", token: "everyone", look: "own", decide: "own" },
  users: { list: "admin", add: "admin", change: "admin", remove: "admin", invite: "admin" },
  // Members see their own calls.
  audit: { list: "member", export: "member" },
  shares: {
    list: "member",
    share: "member",
    takeBack: "member",
    get: "member",
    events: "member",
    file: "member",
    resultFile: "member"
  },
  usage: {
    mine: "member",
    myDays: "member",
    myServer: "member",
    all: "admin",
    allDays: "admin",
    allServer: "admin"
  },
  settings: { settings: "admin", change: "admin" },
  servers: {
    list: "member",
    add: "admin",
    remove: "admin",
    enable: "admin",
    disable: "admin",
    start: "admin",
    stop: "admin",
    restart: "admin",
    refresh: "admin",
    refreshAll: "admin",
    ping: "admin",
    trust: "admin",
    approve: "admin",
    reject: "admin",
    revoke: "admin",
    // Lines that servers write there may hold texts that others sent them.
    logs: "admin",
    logLevel: "admin",
    writes: "admin",
    reload: "admin",
    events: "member"
  },
  entries: {
    entry: "admin",
    setEntry: "admin",
    try: "admin",
    read: "admin",
    variables: "admin",
    connections: "admin",
    import: "admin",
    imports: "admin"
  },
  registry: {
    published: "admin",
    publishedServer: "admin",
    versions: "admin",
    install: "admin",
    tryPublished: "admin",
    outdated: "admin",
    upgrade: "admin"
  },
  // Those of a server that all share are the admins'.
  logins: { begin: "member", get: "member", answer: "member", cancel: "member", logout: "member" },
  tools: { list: "member", search: "member", call: "member", stream: "member" },
  agents: { agents: "member", models: "member" },
  agentEdits: { create: "admin", preview: "admin", replace: "admin", remove: "admin" },
  providers: { list: "admin", add: "admin", change: "admin", remove: "admin", test: "admin" },
  commands: {
    commands: "member",
    prompts: "member",
    prompt: "member",
    resources: "member",
    read: "member",
    watch: "member",
    complete: "member"
  },
  chats: {
    create: "member",
    list: "member",
    search: "member",
    get: "member",
    update: "member",
    remove: "member",
    send: "member",
    fork: "member",
    editWaiting: "member",
    hurry: "member",
    drop: "member",
    editSummary: "member",
    stop: "member",
    events: "member",
    timeline: "member",
    export: "member",
    import: "member",
    file: "member",
    resultFile: "member"
  },
  approvals: { list: "member", answer: "member", revoke: "member", waiting: "admin", deny: "admin" },
  permissions: { list: "member", write: "admin", explain: "member", test: "member" },
  questions: { list: "member", answer: "member" },
  writes: { list: "member", undo: "member" },
  apps: { show: "member", call: "member", read: "member", preview: "member" },
  clients: { list: "member", changes: "member", add: "own", remove: "member", end: "member", attend: "member" }
}

const BY_ROUTE: ReadonlyMap<string, Right> = new Map(
  Object.entries(RIGHTS).flatMap(([group, endpoints]) =>
    Object.entries(endpoints).map(([endpoint, right]) => [`${group}.${endpoint}`, right] as const)
  )
)

/** The right that a route needs; one that stands nowhere is the admins'. */
export const rightOf = (group: string, endpoint: string): Right => BY_ROUTE.get(`${group}.${endpoint}`) ?? "admin"
