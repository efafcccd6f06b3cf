/** The settings of the server in words: a name and a line for each key, and what may stand there. */
import { translated } from "../../language/Language.ts"

export const settingNames = translated(
  "settingNames",
  {
    model: {
      name: "Default model",
      about: "The model of chats where neither the chat, its agent nor what started the server names one."
    },
    models: {
      name: "Facts about models",
      about: "Context, prices and who may use a model, where BooCode does not know better. openai/* is for all others."
    },
    titles: {
      name: "Titles of chats",
      about: "What gives a new chat its title.",
      options: { model: "Its model, after the first answer", message: "The first message" }
    },
    codeMode: {
      name: "Programs",
      about: "Whether a model may write one program in place of many calls, where its agent does not say.",
      options: { auto: "For models that are good at it", on: "Always", off: "Never" }
    },
    approvals: {
      name: "Calls that always ask",
      about: "Calls of these tools wait for a yes, for every agent. * stands for any letters, ! makes an exception."
    },
    sampling: {
      name: "Servers that ask a model",
      about: "Whether an MCP server may have the model of a chat answer it.",
      options: { ask: "After a yes", allow: "Without asking", never: "Never" }
    },
    toolSearch: {
      name: "Search for tools",
      about: "Whether a model looks for tools when it needs them, or gets the definitions of all.",
      options: { auto: "When there are many", always: "Always", never: "Never" },
      unit: "tokens of definitions are many"
    },
    scopes: {
      name: "Other files with servers",
      about: "Files that are read besides mcp.json: project is .mcp.json of this folder, user is your own."
    },
    trustedPublishers: {
      name: "Trusted publishers",
      about: "Remote servers of project files at these addresses start without approval."
    },
    privateAddresses: {
      name: "Private addresses",
      about: "Networks and names that servers may have which somebody adds over the network."
    },
    registry: {
      name: "Registry of servers",
      about: "Where “Find a server” looks. It is asked only when somebody looks."
    },
    loginShellPath: {
      name: "Commands of your shell",
      about: "Look for the commands of servers where your login shell looks for them."
    },
    maxConnecting: {
      name: "Servers that connect at once",
      about: "More of them wait. Leave it empty to connect all at once.",
      unit: "servers"
    },
    credentials: {
      name: "Where keys and logins are kept",
      about: "The tokens of remote servers, and the keys of providers.",
      options: {
        auto: "Sealed by the keychain where there is one, else in a private file",
        file: "In a file that only you can read",
        keychain: "Sealed by the keychain, or not at all"
      }
    },
    limits: {
      name: "Limits",
      about: "How much people may use of models. The narrowest limit that says something holds."
    },
    auditDays: {
      name: "Keep the audit for",
      about: "How long it is known who called which tool. 0 keeps nothing.",
      unit: "days"
    },
    signIn: {
      name: "Identity provider",
      about: "People sign in at this provider of OpenID Connect, such as Keycloak, Entra ID, Okta or Google.",
      parts: {
        issuer: { label: "Address" },
        clientId: { label: "Client" },
        clientSecret: {
          label: "Secret of the client",
          about: "A variable of the environment or .env, never the secret itself."
        },
        label: { label: "Words on the button", example: "Sign in with your organization" },
        scope: { label: "What is asked for" },
        admins: {
          label: "Admins",
          about: "Names, verified e-mail addresses or group:NAME, one a line. * is everyone."
        },
        members: { label: "Members", about: "Nobody else is let in." },
        name: { label: "Claim with the name" },
        groups: { label: "Claim with the groups" }
      }
    },
    proxySignIn: {
      name: "Proxy that signs people in",
      about: "A proxy in front of this server says who somebody is. It must remove the header from what browsers send.",
      parts: {
        addresses: {
          label: "Addresses of the proxy",
          about: "Networks and addresses, one a line. Nobody else is believed."
        },
        header: { label: "Header with the person" },
        groupsHeader: { label: "Header with their groups" },
        jwks: { label: "Keys that sign the header", about: "With them, issuer and audience are needed." },
        issuer: { label: "Issuer" },
        audience: { label: "Audience" },
        admins: {
          label: "Admins",
          about: "Names, verified e-mail addresses or group:NAME, one a line. * is everyone."
        },
        members: { label: "Members", about: "Nobody else is let in." },
        name: { label: "Claim with the name" },
        groups: { label: "Claim with the groups" }
      }
    },
    token: {
      name: "Token of this server",
      about: "What others must know to use it. Without one a token is made."
    },
    allowedHosts: {
      name: "Names behind a proxy",
      about: "The names under which a reverse proxy offers this server, which then wants its token."
    },
    publicUrl: {
      name: "Public address",
      about: "Where others reach this server. People and connectors such as claude.ai sign in there."
    },
    logFormat: {
      name: "Form of the log",
      about: "How the server writes its log.",
      options: { pretty: "For people", json: "One JSON document a line" }
    },
    logLevel: {
      name: "What is logged",
      about: "Everything above it is logged too.",
      options: {
        trace: "Everything",
        debug: "Details for finding faults",
        info: "What happens",
        warn: "Warnings and errors",
        error: "Errors",
        none: "Nothing"
      }
    },
    metrics: {
      name: "Counts for /metrics",
      about: "Count calls of MCP servers and connections to them."
    }
  } as const
)

export const limitWords = translated(
  "limitWords",
  {
    who: "Who",
    money: "Money",
    tokens: "Tokens",
    turns: "Chats at once",
    add: "Add a limit",
    nth: (what: string, who: string) => who === "" ? what : `${what} for ${who}`,
    removeOf: (who: string) => `Remove the limit for ${who}`,
    about:
      "Money and tokens are a day or a month: 20 USD a month, 2M a day. Empty leaves it to the wider limit; “none” is no limit."
  } as const
)
