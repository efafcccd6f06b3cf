/** What a configuration may say, who is trusted by it, and what of it stays secret. */
import { proofs, type Requirement } from "./Requirement.ts"

const config = (name: string) => `packages/mcp-config/test/${name}.test.ts`
const registry = (name: string) => `packages/mcp-registry/test/${name}.test.ts`
const client = (name: string) => `packages/mcp-client/test/${name}.test.ts`
export const configuration: ReadonlyArray<Requirement> = [
  {
    id: "R65",
    promise: "Variables expand wherever they may stand; an unset one fails its server by name and is never sent.",
    proofs: [
      ...proofs(
        config("entry/Expansion"),
        "names the variable that is not set, and never sends its place empty or as written",
        "takes the default of a variable that is unset or empty"
      ),
      ...proofs(
        config("entry/Resolution"),
        "expands command, args, env, cwd, url and headers",
        "fails the server that needs an unset variable by the variable's name, and only that server"
      )
    ],
    break: {
      file: "packages/mcp-config/src/entry/Expansion.ts",
      find: "if (value === undefined) return Result.fail({ _tag: \"Unset\", variable: name })",
      replace: ""
    }
  },
  {
    id: "R66",
    promise: "What is wrong in a file is told with its place and the nearest key, and hurts no other entry.",
    proofs: [
      ...proofs(
        config("entry/NativeEntry"),
        "warns of an unknown key by its path, with the nearest key there is",
        "does not let one broken entry hurt the others",
        "says file, line, column, path of the key and what to write for a wrong value"
      ),
      ...proofs(config("read/ConfigFile"), "says file, line and column of what is not JSON, and has no servers"),
      ...proofs("test/Cli.test.ts", "fails for a file that is not JSON, with file, line and column")
    ],
    break: {
      file: "packages/mcp-config/src/entry/NativeEntry.ts",
      find: "  remarkKeys(reader)",
      replace: ""
    }
  },
  {
    id: "R67",
    promise: "Entries as other applications write them mean the same here; command and url together is an error.",
    proofs: [
      ...proofs(
        config("entry/NativeEntry"),
        "names command and url together as the error, and says which to keep",
        "decodes all 70 configurations that servers' authors publish, without a warning",
        "infers a missing type, and knows the names a type goes by"
      ),
      ...proofs(
        config("read/McpConfig/RoundTrip"),
        "loses nothing of the 70 configurations that servers' authors publish, in any shape"
      )
    ],
    break: {
      file: "packages/mcp-config/src/entry/NativeEntry.ts",
      find: "if (reader.keys.has(\"command\") && reader.keys.has(\"url\")) {",
      replace: "if (false) {"
    }
  },
  {
    id: "R68",
    promise:
      "A saved edit restarts only the server it changes; a broken file changes nothing; a running turn keeps its own.",
    proofs: [
      ...proofs(
        registry("McpRegistry/servers/HotReload"),
        "starts what is new, ends what is gone, and leaves the others their processes",
        "starts a changed server anew before the old one ends, and only that one",
        "keeps a running server whose entry was broken, with the place of the mistake",
        "lets a turn call the tools it took, from whichever process still has them"
      ),
      ...proofs(
        registry("McpRegistry/servers/HotReload.props"),
        "leaves unchanged servers their processes, gives no name twice"
      ),
      ...proofs(
        "test/HotReload.test.ts",
        "restarts the server whose entry changed, and leaves the others their processes",
        "changes nothing for a file that is not JSON",
        "lets a turn that runs go on, on the process it called"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/servers/ServerSlot.ts",
      find: "if (newest.isOf(entry)) return",
      replace: "if (false) return"
    }
  },
  {
    id: "R69",
    promise:
      "A command that is not there is named with what was searched and what to do; batch files start on Windows.",
    proofs: [
      ...proofs(
        registry("McpRegistry"),
        "says the command, the searched path and what to do when a command is not there"
      ),
      ...proofs(
        "test/Zoo.test.ts",
        "a command that is nowhere: names it and what was searched",
        "a file that may not be executed"
      ),
      ...proofs(client("stdio/WindowsCommand"), "hands every argument to the program as it was")
    ],
    break: {
      file: "packages/mcp-client/src/errors/EntryErrors.ts",
      find: "return `command not found: ${command} (${where})`",
      replace: "return `command not found: ${where}`"
    }
  },
  {
    id: "R70",
    promise: "A project's servers do nothing before somebody approved them, and nothing in a project can do that.",
    proofs: [
      ...proofs(
        registry("McpRegistry/trust/Trust"),
        "does not start before it is approved, whatever is asked of the registry"
      ),
      ...proofs(registry("trust/Approvals"), "approve nothing of a project by themselves"),
      ...proofs("test/Trust.test.ts", "is started by nothing before somebody approved it")
    ],
    break: {
      file: "packages/mcp-registry/src/state/ServerState.ts",
      find: "if (entry.needsApproval) {",
      replace: "if (false) {"
    }
  },
  {
    id: "R71",
    promise: "An approval holds for the whole entry: changing any of it asks again, reordering does not.",
    proofs: [
      ...proofs(
        registry("trust/EntryHash"),
        "is another one after a change of ",
        "is another one for a value in the file of envFile",
        "stays for another order of keys"
      ),
      ...proofs(registry("McpRegistry/trust/Trust"), "is stopped and waits when its entry changes"),
      ...proofs(
        "test/Trust.test.ts",
        "starts for one command, or for the next ones once it is approved, and waits again"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/trust/EntryHash.ts",
      find: "JsonValue.stringify([VERSION, server, values])",
      replace: "CanonicalJson.stringify([VERSION, server])"
    }
  },
  {
    id: "R72",
    promise: "A tool that changed since it was pinned is shown as a difference, and blocked or warned of.",
    proofs: [
      ...proofs(
        registry("trust/ToolPins"),
        "block the tool of a project and warn of one's own",
        "block what a project offers, and warn of one's own, when the file"
      ),
      ...proofs(
        registry("McpRegistry/trust/Trust"),
        "are blocked at the next start of a project's server, until they are approved",
        "are blocked as soon as the server announces them",
        "keep a project's server closed when its pins are damaged"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/trust/PinVerdict.ts",
      find: "if (listing.hash === pinned.hash) return same(judged)",
      replace: "if (pinned !== null) return same(judged)"
    }
  },
  {
    id: "R73",
    promise: "What an untrusted server says of its tools lowers no check.",
    proofs: [
      ...proofs(registry("tools/Discovery"), "R73: asks also about a tool that calls itself harmless"),
      ...proofs(
        registry("McpRegistry/trust/Trust"),
        "R73: takes nothing from the question that its entry asks for by calling itself harmless",
        "does not let a tool that declared itself a writer become one that does not"
      ),
      ...proofs(
        "packages/toolkit/test/tools/Approval.test.ts",
        "R73: asks about what the entry of a server names, whatever the patterns except and the server says"
      ),
      ...proofs(
        "packages/toolkit/test/McpToolkit/McpToolkitLoop.test.ts",
        "R73: leaves out what its server's entry wants asked, with the reason, unless somebody asks"
      ),
      ...proofs(
        "packages/chat/test/asking/ToolApprovals.test.ts",
        "R73: keeps asking, whatever an agent excepts and a server says of its tool"
      ),
      ...proofs(
        "test/Approvals.test.ts",
        "R73: ask about what the entry names, whatever the server's hints say, and call nothing before a yes"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/tools/Discovery.ts",
      find: "needsApproval: ToolClass.isWriter(toolClass) || isAsked(label),",
      replace: "needsApproval: ToolClass.isWriter(toolClass) || (isAsked(label) && toolClass !== \"reads\"),"
    }
  },
  {
    id: "R74",
    promise: "A server sees the safe list and what its entry declares, nothing else of the host.",
    proofs: [
      ...proofs(
        client("base/ServerEnvironment"),
        "passes on no other variable of the host, whatever its name",
        "gives a server the safe list and what its entry declares, nothing else of the host"
      ),
      ...proofs("test/Interop.test.ts", "a server sees the safe list and what its entry declares")
    ],
    break: {
      file: "packages/mcp-client/src/base/ServerEnvironment.ts",
      find: "isInherited(name) || stdio.inheritEnv.includes(name)",
      replace: "true"
    }
  },
  {
    id: "R75",
    promise: "No configured secret is in any log, span, error, status or answer.",
    proofs: [
      ...proofs(
        client("base/Redaction"),
        "lets no value of the environment through, wherever it stands",
        "hides header values, and a token without its scheme",
        "hides query and password of the url, as written and decoded"
      ),
      ...proofs(client("http/HttpFailure"), "lets no configured secret into any reason"),
      ...proofs(
        registry("McpRegistry/http/HttpRefusals"),
        "says that configured credentials were refused, whatever header has them"
      ),
      ...proofs(
        registry("McpRegistry/trust/Secrets"),
        "is hidden wherever it stands in arguments, alone or as a part",
        "is hidden as JSON, as part of an address, of a form and of a page have it"
      ),
      ...proofs(
        registry("McpRegistry/oauth/OAuthLogin"),
        "no token, code or verifier is in a status, an error, a log line or a span"
      ),
      ...proofs(
        "test/Canary.test.ts",
        "stay out of all that commands print, log and keep, whatever servers say",
        "stay out of all that a running server answers, streams, logs and keeps"
      )
    ],
    break: {
      file: "packages/mcp-client/src/base/Redaction.ts",
      find: ".filter((secret) => secret.length >= SHORTEST_SECRET)",
      replace: ".filter(() => false)"
    }
  },
  {
    id: "R76",
    promise: "No redirect takes credentials, or anything else, to another origin.",
    proofs: [
      ...proofs("test/HttpFaults.test.ts", "follows no redirect to another origin"),
      ...proofs(
        registry("McpRegistry/http/HttpStreams"),
        "follows no redirect to another origin, with no header and no body"
      )
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpRedirects.ts",
      find: "isSame(from, target) &&",
      replace: ""
    }
  },
  {
    id: "R77",
    promise: "Where others can reach the server, addresses they add that lead into private networks are refused.",
    proofs: [
      ...proofs(
        "apps/chat-server/test/settings/PrivateAddress.test.ts",
        "refuses every spelling of an address that is not public",
        "refuses a name one of whose addresses is not public",
        "knows the addresses that machines keep for themselves",
        "takes names for this machine by their name"
      ),
      ...proofs(
        "test/Access.test.ts",
        "refuses servers whose names lead to this machine",
        "refuses at the connection a name that changed its meaning",
        "connects to the same entry when the settings allow its name",
        "judges where a redirect leads"
      )
    ],
    break: {
      file: "apps/chat-server/src/settings/PrivateAddress.ts",
      find: "range === \"unicast\" &&",
      replace: "true ||"
    }
  },
  {
    id: "R78",
    promise: "A foreign Host or Origin is answered 403, and loopback is bound unless somebody says otherwise.",
    proofs: proofs(
      "apps/chat-server/test/access/HostGuard.test.ts",
      "answers 403 to a foreign Host, on the page and the reference too",
      "answers 403 to a foreign Origin, another port of this machine included",
      "accepts any address, but no foreign name, where every address is bound",
      "answers 403 to what a browser asks for on behalf of another site"
    ),
    break: {
      file: "apps/chat-server/src/access/HostGuard.ts",
      find: "host !== null && isOurs.host(host) ? host : null",
      replace: "host"
    }
  },
  {
    id: "R79",
    promise: "Only https and loopback addresses are opened for a login, and never through a shell.",
    proofs: [
      ...proofs(
        client("oauth/SignIn"),
        "of an authorization server is not opened, and nobody is registered there",
        "a description of the server over plain http is not read"
      ),
      ...proofs(client("oauth/SignIn/Hostile"), "an address with a user in it, who looks like a host, is not opened"),
      ...proofs(
        "apps/cli/test/mcp/McpLogin.test.ts",
        "gives no program an address that is neither https nor on this machine"
      ),
      ...proofs(
        "test/OAuth.test.ts",
        "opens the browser with argv, keeps the tokens for the next start in a private file"
      )
    ],
    break: {
      file: "packages/mcp-client/src/base/SecureAddress.ts",
      find: "return url.protocol === \"https:\" || (url.protocol === \"http:\" && isLoopback(url.hostname))",
      replace: "return url.hostname !== \"\" || isLoopback(\"\")"
    }
  },
  {
    id: "R80",
    promise: "Ten refused calls refresh a token once, and who loses the race deletes nothing.",
    proofs: [
      ...proofs(
        client("oauth/TokenRenewal"),
        "two programs that share a file refresh once between them",
        "ten requests that are refused at the same time cause exactly one request for tokens",
        "an invalid_grant that comes too late leaves the tokens that somebody else has got",
        "a holder of the file's lock that was taken for dead does not write over newer tokens",
        "while refreshing takes nothing away, and is told as something that may pass"
      ),
      ...proofs("test/OAuth.test.ts", "renews a token once, however many calls of two programs find it worthless")
    ],
    break: {
      file: "packages/mcp-client/src/oauth/credentials/Credential.ts",
      find: "(refused === null || Redacted.value(tokens.access) !== Redacted.value(refused.access))",
      replace: "refused === null"
    }
  },
  {
    id: "R81",
    promise: "A refused Authorization header is called that, and nobody else is asked for credentials.",
    proofs: [
      ...proofs(
        registry("McpRegistry/http/HttpOutages"),
        "asks nobody else for authorization when the configured credentials are refused"
      ),
      ...proofs(
        registry("McpRegistry/http/HttpRefusals"),
        "says that configured credentials were refused, whatever header has them"
      ),
      ...proofs(client("http/HttpFailure"), "takes 401 and 403 for missing credentials, or for rejected ones"),
      ...proofs(
        registry("McpRegistry/oauth/OAuthLogin"),
        "is left as it is: a 401 is told as that, and nothing else is asked"
      ),
      ...proofs("test/OAuth.test.ts", "leaves configured credentials as they are, and asks nobody about others")
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpFailure.ts",
      find: "if (occasion.isAuthorized) return new AuthRejected(fields)",
      replace: ""
    }
  },
  {
    id: "R82",
    promise: "Metadata of an authorization server is looked for where the specification says, in its order.",
    proofs: [
      ...proofs(
        client("oauth/SignIn"),
        "the address in the refusal is asked first, then the one for the path, then the one for the host",
        "a server that says its tokens are for another resource is refused, with both addresses"
      ),
      ...proofs("test/Conformance.test.ts", "every scored client scenario of both revisions passes")
    ],
    break: {
      file: "packages/mcp-client/src/oauth/AuthDiscovery.ts",
      find: "metadataUrl === undefined ? known : Effect.catchIf(ask(metadataUrl), isNotThere, () => known)",
      replace: "known"
    }
  },
  {
    id: "R92",
    promise: "Two users of one server entry, with a registry each, have sessions and credentials of their own.",
    proofs: proofs(
      registry("McpRegistry/oauth/Users"),
      "have sessions and tokens of their own, whatever they do at the same time"
    ),
    break: {
      file: "packages/mcp-client/src/oauth/credentials/Credentials.ts",
      find: "const kept = new Map<string, { readonly server: string; readonly credential: Credential }>()",
      replace:
        "const kept = (globalThis.kept ??= new Map<string, { readonly server: string; readonly credential: Credential }>())"
    }
  }
]
