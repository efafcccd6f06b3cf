/** What goes over the wire: framing, HTTP, sessions, streams, calls under way, proxies and revisions. */
import { proofs, type Requirement } from "./Requirement.ts"

const test = (name: string) => `packages/mcp-registry/test/${name}.test.ts`
const client = (name: string) => `packages/mcp-client/test/${name}.test.ts`
const FAULTS = "test/Faults.test.ts"
const HTTP_FAULTS = "test/HttpFaults.test.ts"

export const transports: ReadonlyArray<Requirement> = [
  {
    id: "R22",
    promise: "404 with a session starts one new session, without the old header, and the tools are listed again.",
    proofs: [
      ...proofs(
        test("McpRegistry/http/HttpSessions"),
        "lets 20 calls that find their session gone share one new session",
        "opens one new session when the old one is gone",
        "tries a new session once for a call, not for ever"
      ),
      ...proofs(HTTP_FAULTS, "goes on with a server that was restarted and has forgotten its sessions")
    ],
    break: {
      file: "packages/mcp-client/src/http/SharedRenewal.ts",
      find: "running === null ? begin(work) : Effect.succeed(Deferred.await(running))",
      replace: "begin(work)"
    }
  },
  {
    id: "R23",
    promise: "A call whose connection broke after it was sent is sent once, its outcome is unknown, later calls work.",
    proofs: [
      ...proofs(test("McpRegistry/http/HttpTransport"), "sends a call once whose connection broke"),
      ...proofs(test("calls/ServerCall"), "reports an unknown outcome, once, when the server dies during a call"),
      ...proofs(HTTP_FAULTS, "fails a call within 100 ms when its stream ends or its connection breaks"),
      ...proofs(
        "packages/toolkit/test/McpToolkit.test.ts",
        "names server, tool, message and hint when a call fails with"
      )
    ],
    break: {
      file: "packages/mcp-client/src/connect/SessionRenewal.ts",
      find: "Effect.catchIf(within(found, run), found.session.endsSession, () => again(found, run, onStarted))",
      replace: "Effect.catch(within(found, run), () => again(found, run, onStarted))"
    }
  },
  {
    id: "R24",
    promise: "A tool's own error and a JSON-RPC error cause no connection and no second sending.",
    proofs: [
      ...proofs(
        test("McpRegistry/lifecycle/Recovery"),
        "neither starts a process nor sends again for a tool's own error"
      ),
      ...proofs(test("McpRegistry/http/HttpTransport"), "takes no tool's error and no JSON-RPC error for a reason")
    ],
    break: {
      file: "packages/mcp-registry/src/calls/ServerCall.ts",
      find: "Effect.matchEffect(sent(call, tell), {",
      replace: "Effect.matchEffect(Effect.retry(sent(call, tell), { times: 1 }), {"
    }
  },
  {
    id: "R25",
    promise: "Calls carry a progress token, and progress keeps a call alive beyond its idle timeout; silence does not.",
    proofs: [
      ...proofs(test("McpRegistry/calls/TimeLimits"), "lets a call run three times its timeout while progress comes"),
      ...proofs(FAULTS, "progress keeps a slow call alive, silence does not"),
      ...proofs(client("rpc/Requests"), "tells progress at once, also when the answer comes right behind it")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Requests.ts",
      find: "params: { ...params, _meta: { progressToken: id } }",
      replace: "params"
    }
  },
  {
    id: "R26",
    promise: "Endless progress is cut at `maxTotalTimeout`; the message names server, tool and limit.",
    proofs: [
      ...proofs(test("McpRegistry/calls/TimeLimits"), "cuts endless progress at maxTotalTimeout"),
      ...proofs(FAULTS, "progress without end is cut at maxTotalTimeout")
    ],
    break: {
      file: "packages/mcp-registry/src/calls/CallLimits.ts",
      find: "const totalAt = spent.since + this.totalMillis + spent.rested + rest",
      replace: "const totalAt = quietSince + this.totalMillis"
    }
  },
  {
    id: "R27",
    promise: "Headers and bytes that come later than the HTTP stack's own limits are waited for.",
    proofs: [
      ...proofs("test/NodeFetch.test.ts", "waits for headers and for the next byte beyond the limits of the agent"),
      ...proofs(HTTP_FAULTS, "waits for late headers and late bytes beyond the limits of the HTTP stack")
    ],
    break: {
      file: "packages/mcp-node/src/http/ProxyAgent.ts",
      find: "dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler)",
      replace: "dispatch(options, handler)"
    }
  },
  {
    id: "R28",
    promise: "After a timeout the same connection serves the next call.",
    proofs: [
      ...proofs(
        test("McpRegistry/http/HttpTransport"),
        "serves the next call on the same session after one that took too long"
      ),
      ...proofs(test("calls/ServerCall"), "fails a silent call at its idle limit and keeps the connection"),
      ...proofs(FAULTS, "progress keeps a slow call alive, silence does not"),
      ...proofs(HTTP_FAULTS, "serves on after calls that were never answered")
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpSession.ts",
      find: "exchanges.abandon(exchanges.find(id))",
      replace: "exchanges.abandon(exchanges.find(id)); state.isLost = true"
    }
  },
  {
    id: "R29",
    promise: "Interrupting a call sends one cancellation with its id, ends at once, and drops the late answer.",
    proofs: [
      ...proofs(
        test("McpRegistry/calls/Cancellation"),
        "sends one cancellation with the id of the call",
        "needs no time at all to end an interrupted call here",
        "gives the late answer of a cancelled call to nobody",
        "cancels over HTTP as over stdio"
      ),
      ...proofs(FAULTS, "an interrupted call and one that timed out: one cancellation each"),
      ...proofs(
        test("McpRegistry/offerings/OfferingTroubles"),
        "R29: a read and a prompt that nobody waits for any more are cancelled at the server"
      )
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Requests.ts",
      find: "return Effect.sync(() => this.cancel(id))",
      replace: "return Effect.void"
    }
  },
  {
    id: "R30",
    promise: "A cancelled call ends as interrupted, and the server reads the same words whyever it was cancelled.",
    proofs: [
      ...proofs(
        test("McpRegistry/calls/Cancellation"),
        "sends one cancellation with the id of the call",
        "ends an interrupted call as interrupted, never as a timeout"
      ),
      ...proofs(FAULTS, "an interrupted call and one that timed out: one cancellation each"),
      ...proofs("packages/toolkit/test/McpToolkit.test.ts", "cancels the call when it is interrupted")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Requests.ts",
      find: "reason: CANCELLED",
      replace: "reason: JSON.stringify(entry.request.params)"
    }
  },
  {
    id: "R37",
    promise: "15 MiB in one line arrive however they are cut; above the cap only that call fails, in bounded memory.",
    proofs: [
      ...proofs(
        test("McpRegistry/calls/OpenCalls"),
        "an answer above the cap fails its own call, and leaves the others open"
      ),
      ...proofs(test("calls/ServerCall"), "fails only the call whose answer is above the cap"),
      ...proofs(
        client("stdio/Framing"),
        "decodes 15 MiB in one line, in pieces from a byte to 64 KiB",
        "holds nothing of what is above the cap",
        "tells size and id of a line above the cap once"
      ),
      ...proofs(
        test("McpRegistry/http/HttpLimits"),
        "fails only the call whose JSON body is above the cap",
        "fails only the call whose event is above the cap"
      ),
      ...proofs(HTTP_FAULTS, "fails only the call above the cap, whatever its size"),
      ...proofs(
        "test/Floods.test.ts",
        "64 MB arrive in linear time when the cap is raised",
        "above the cap only that call fails",
        "a line without end is dropped beyond its bound",
        "64 MB over HTTP as"
      )
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Requests.ts",
      find: "if (id !== null) return this.fail(id, reason)",
      replace: ""
    }
  },
  {
    id: "R38",
    promise: "The same messages come out however their bytes are cut, multibyte characters too.",
    proofs: [
      ...proofs(client("stdio/Framing"), "gives the same messages however their bytes are cut"),
      ...proofs(client("http/Sse"), "tells each event below the cap as it was sent"),
      ...proofs(FAULTS, "calls get their own answers, whole")
    ],
    break: {
      file: "packages/mcp-client/src/stdio/Framing.ts",
      find: "if (!this.isOver) this.hold(from === 0 ? chunk : chunk.subarray(from))",
      replace: ""
    }
  },
  {
    id: "R39",
    promise:
      "A server that writes banners, blank lines and other JSON still initializes; each such line is one short note.",
    proofs: [
      ...proofs(test("McpRegistry/lifecycle/Diagnostics"), "initializes behind a banner, blank lines and other JSON"),
      ...proofs(
        client("stdio/Inbox"),
        "skips each line that is no JSON-RPC message",
        "shows at most 200 characters of a line"
      ),
      ...proofs(FAULTS, "calls get their own answers, whole", "skipped lines are one bounded diagnostic")
    ],
    break: {
      file: "packages/mcp-client/src/stdio/Inbox.ts",
      find: "if (JsonRpc.isMessage(value)) return this.deliver(",
      replace: "if (JsonRpc.isObject(value)) return this.deliver("
    }
  },
  {
    id: "R44",
    promise: "Closing ends an HTTP session by one DELETE, minds no 405 to it, and waits a second for it at most.",
    proofs: [
      ...proofs(
        test("McpRegistry/http/HttpTransport"),
        "closes within a second when DELETE is never answered",
        "connects, lists, calls with the configured headers, and ends the session with one DELETE"
      ),
      ...proofs(test("McpRegistry/http/HttpHostile"), "keeps no connection by what it says to the end of its session"),
      ...proofs(HTTP_FAULTS, "closes in little more than a second when DELETE is never answered")
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpChannel.ts",
      find: "state.id === null || state.isLost",
      replace: "true"
    }
  },
  {
    id: "R83",
    promise: "A server without a listening stream works, and is not asked for one again.",
    proofs: proofs(
      test("McpRegistry/http/HttpStreams"),
      "works without a listening stream, and does not ask for it again"
    ),
    break: {
      file: "packages/mcp-client/src/http/HttpStream.ts",
      find: "status === 408 || status === 429",
      replace: "status !== 405"
    }
  },
  {
    id: "R84",
    promise:
      "A server of the old HTTP+SSE transport is recognised by one attempt, which is remembered; 401 starts none.",
    proofs: [
      ...proofs(
        test("McpRegistry/connect/SseFallback"),
        "reaches a server of revision 2024-11-05 by one GET after 400, 404 or 405 to initialize",
        "remembers it, so that the next start asks nothing else",
        "tries nothing else where credentials, a redirect, the server or the network are the trouble"
      ),
      ...proofs("test/LegacySse.test.ts", "is reached by an entry that has only its url")
    ],
    break: {
      file: "packages/mcp-client/src/connect/HttpConnect.ts",
      find: "|| !SseFallback.isCalledFor(refusal)) return",
      replace: "|| true) return"
    }
  },
  {
    id: "R85",
    promise:
      "A listening stream that keeps closing is opened less and less often; listeners do not pile up over calls.",
    proofs: [
      ...proofs(
        test("McpRegistry/http/HttpStreams"),
        "asks a server that keeps closing its listening stream less and less often"
      ),
      ...proofs(
        HTTP_FAULTS,
        "asks a server that keeps closing its listening stream a few times, and not more for hundreds of calls"
      )
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpStream.ts",
      find: "for (let failures = 0;; failures++) {",
      replace: "for (let failures = 0;;) {"
    }
  },
  {
    id: "R86",
    promise: "A call's stream that broke behind an event id is resumed after the pause asked for, and completes once.",
    proofs: [
      ...proofs(
        test("McpRegistry/http/HttpStreams"),
        "resumes a call's stream after the pause that the server asked for",
        "fails a call whose stream cannot be resumed"
      ),
      ...proofs(test("McpRegistry/http/HttpHostile"), "is asked less and less often for a stream that brings nothing"),
      ...proofs(HTTP_FAULTS, "resumes a call whose connection broke behind an event id")
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpChannel.ts",
      find: "!== \"\" && HttpHeaders.claimOf(message) === null",
      replace: "!== \"\" && false"
    }
  },
  {
    id: "R87",
    promise: "A hundred connections opened and closed leave no socket, no handle and no fiber.",
    proofs: [
      ...proofs("test/NodeFetch.test.ts", "leaves no connection open when its scope closes"),
      ...proofs(HTTP_FAULTS, "leaves no socket and no handle behind after 20 connections", "(control of R87)"),
      ...proofs("test/Slope.test.ts", "connected and closed over and over")
    ],
    break: {
      file: "packages/mcp-node/src/http/ProxyAgent.ts",
      find: "return agent.dispatcher.destroy()",
      replace: "return Promise.resolve()"
    }
  },
  {
    id: "R88",
    promise: "A peer that silently went away costs a call its timeout at most; an optional ping finds it out.",
    proofs: [
      ...proofs(
        test("McpRegistry/rpc/Ping"),
        "tells the first miss when its limit is over, and gives up at the second in a row",
        "shows a miss as a warning, gives the server up at the next",
        "makes a new connection whatever restart says"
      ),
      ...proofs(HTTP_FAULTS, "fails a call in its timeout when the network has silently forgotten its connections"),
      ...proofs("test/Idle.test.ts", "find an HTTP server that does not answer any more")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Ping.ts",
      find: "if (now === MOST_MISSED) return lost(interval)",
      replace: ""
    }
  },
  {
    id: "R89",
    promise:
      "The proxy of the environment is used but for NO_PROXY, its authorities are believed, TLS is always verified.",
    proofs: [
      ...proofs("test/NodeFetch.test.ts", "goes through the proxy of the environment, but not to hosts of NO_PROXY"),
      ...proofs(
        "test/Certificates.test.ts",
        "refuses a server whose certificate nobody vouches for",
        "believes the authorities that NODE_EXTRA_CA_CERTS names",
        "refuses a certificate for another name",
        "goes through the proxy to a server elsewhere"
      )
    ],
    break: {
      file: "packages/mcp-node/src/http/ProxyAgent.ts",
      find: "noProxy: variable(\"no_proxy\") })",
      replace: "noProxy: \"\" })"
    }
  },
  {
    id: "R90",
    promise:
      "An older revision is accepted and named in every later request; an unknown one is an error with both sides.",
    proofs: [
      ...proofs(
        test("McpRegistry/http/HttpTransport"),
        "accepts an older revision and names it in every later request",
        "ends the session of a server whose revision it does not speak, and names both sides"
      ),
      ...proofs(FAULTS, "a server of one revision is spoken to as it wishes"),
      ...proofs(test("McpRegistry/http/Revisions"), "is agreed on over HTTP, and named in every later request"),
      ...proofs("test/Zoo.test.ts", "a revision that nobody knows: both sides")
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpSession.ts",
      find: "state.version = revision",
      replace: ""
    }
  },
  {
    id: "R91",
    promise:
      "Which era a server speaks is found out by asking, never given up over 401, TLS or a redirect, and remembered.",
    proofs: [
      ...proofs(
        client("connect/StdioProbe"),
        "falls back on every other answer, not on one code alone",
        "falls back after five seconds of silence, not before"
      ),
      ...proofs(test("McpRegistry/http/HttpOutages"), "for a reason to speak the old way"),
      ...proofs(test("McpRegistry/http/HttpRefusals"), "says that a server asks for authorization"),
      ...proofs(
        test("lifecycle/McpServer"),
        "asks nothing of a server whose entry says legacy",
        "speaks 2026-07-28 with a server that does"
      ),
      ...proofs(test("McpRegistry/connect/RememberedEra"), "saves the question at the second start, in both eras"),
      ...proofs("test/Idle.test.ts", "save the question at the second start")
    ],
    break: {
      file: "packages/mcp-client/src/connect/StdioProbe.ts",
      find: "JsonRpc.isObject(result) && versions.includes(Revision.MODERN)",
      replace: "JsonRpc.isObject(result)"
    }
  },
  {
    id: "R95",
    promise: "Ten calls of 300 ms on one server take less than 600 ms together, and each gets its own answer.",
    proofs: [
      ...proofs(test("calls/ServerCall"), "matches answers to calls when they come out of order"),
      ...proofs(FAULTS, "ten calls of 300 ms run side by side")
    ],
    break: {
      file: "packages/mcp-registry/src/calls/Dispatch.ts",
      find: "most === null ? null : Semaphore.makeUnsafe(most)",
      replace: "most === null ? (globalThis.one ??= Semaphore.makeUnsafe(1)) : Semaphore.makeUnsafe(most)"
    }
  },
  {
    id: "R96",
    promise: "With `maxConcurrency: n` the server never sees more than n calls, and waiting is not on a call's time.",
    proofs: [
      ...proofs(test("calls/ServerCall"), "keeps to maxConcurrency, and waiting does not eat the call's time"),
      ...proofs(test("McpRegistry/asks/Inquiries"), "R96: stays within maxConcurrency together with the calls"),
      ...proofs(FAULTS, "maxConcurrency is what the server sees")
    ],
    break: {
      file: "packages/mcp-registry/src/calls/Dispatch.ts",
      find: "most === null ? null : Semaphore.makeUnsafe(most)",
      replace: "null"
    }
  },
  {
    id: "R99",
    promise: "A call on a connection that was closed while nobody used it connects anew and shows no error.",
    proofs: proofs(
      "test/Idle.test.ts",
      "a call does not notice that its socket was closed",
      "a call does not notice that the whole server was restarted",
      "a call does not notice that the program died since the last one"
    ),
    break: {
      file: "packages/mcp-client/src/connect/SessionRenewal.ts",
      find: "Effect.catchIf(within(found, run), found.session.endsSession, () => again(found, run, onStarted))",
      replace: "within(found, run)"
    }
  },
  {
    id: "R107",
    promise: "Nothing is kept of a call after cancel, timeout, close or late answer; a deaf server holds up no cancel.",
    proofs: [
      ...proofs(client("rpc/Requests"), "cancels once when it is interrupted, and its late answer is nobody's"),
      ...proofs(
        client("rpc/Requests.props"),
        "each comes to one end, the first there is, and is told as cancelled when nobody but us ended it"
      ),
      ...proofs(
        "test/Pending.test.ts",
        "nothing is left of calls cut off whose answers come late",
        "nothing is left of calls over HTTP that were cut off, on either side",
        "calls that are under way when all is closed end with a reason"
      ),
      ...proofs(FAULTS, "a server that stopped reading: calls time out, interruption is not held up"),
      ...proofs(HTTP_FAULTS, "serves on after calls that were never answered")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Requests.ts",
      find: "if (entry === undefined || !this.entries.delete(id)) return undefined",
      replace: "if (entry === undefined) return undefined"
    }
  },
  {
    id: "R108",
    promise: "A long call survives one dropped HTTP stream where the revision can resume it.",
    proofs: [
      ...proofs(
        test("McpRegistry/http/HttpStreams"),
        "resumes a call's stream after the pause that the server asked for"
      ),
      ...proofs(HTTP_FAULTS, "resumes a call whose connection broke behind an event id")
    ],
    break: {
      file: "packages/mcp-client/src/http/HttpStream.ts",
      find: "failures < MOST && !isDone()",
      replace: "false"
    }
  }
]
