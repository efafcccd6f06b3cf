/** Servers that are started, die, come back and go, and the host that outlives or does not outlive them. */
import { proofs, type Requirement } from "./Requirement.ts"

const RECOVERY = "packages/mcp-registry/test/McpRegistry/lifecycle/Recovery.test.ts"
const TEARDOWN = "packages/mcp-registry/test/McpRegistry/lifecycle/Teardown.test.ts"
const FAULTS = "test/Faults.test.ts"

export const lifetimes: ReadonlyArray<Requirement> = [
  {
    id: "R1",
    promise: "Closing a server ends everything it started, also behind `sh -c 'node server & wait'`.",
    proofs: [
      ...proofs(
        TEARDOWN,
        "signals what a server left behind although it ended itself",
        "signals what only its parent led to"
      ),
      ...proofs(FAULTS, "whatever a server does to stay, nothing of it is left", "the control: the bare SDK leaves"),
      ...proofs("test/ProcessTable.test.ts", "never loses a process that starts another and ends"),
      ...proofs("test/ProcessTree.test.ts", "counts and ends", "ends what cleared its environment")
    ],
    break: {
      file: "packages/mcp-client/src/stdio/ProcessClose.ts",
      find: "closing.exited.pipe(Effect.andThen(isEmpty(closing)), ",
      replace: "closing.exited.pipe("
    }
  },
  {
    id: "R2",
    promise: "6 s after SIGINT, SIGTERM, SIGHUP or SIGKILL to the host nothing that it started is left.",
    proofs: [
      ...proofs(
        "test/ProcessGuard.test.ts",
        "sweeps everything within 6 s when the host is killed",
        "is followed by another that knows all groups when it is killed"
      ),
      ...proofs("test/HostEnd.test.ts", "to the program nothing that it started is left"),
      ...proofs("test/Smoke.test.ts", "(6) leaves no process after"),
      ...proofs("test/Cli.test.ts", "closes what it started on SIGINT (130), SIGTERM (143) and SIGHUP (129)"),
      ...proofs("test/ProcessTable.test.ts", "never loses a process that starts another and ends")
    ],
    break: {
      file: "packages/mcp-node/src/processes/GuardScript.ts",
      find: "look; sleep 0.5; look",
      replace: "exit 0"
    }
  },
  {
    id: "R3",
    promise: "Stopping, replacing, failing to list and closing release each process exactly once.",
    proofs: [
      ...proofs(
        RECOVERY,
        "releases each process once, and has as many as before, after",
        "releases each process once whose listing failed"
      ),
      ...proofs(
        TEARDOWN,
        "has nothing left of the old process before a restart",
        "releases a server that is still connecting"
      ),
      ...proofs(FAULTS, "stop, restart, a failed handshake, a failed listing"),
      ...proofs("test/Slope.test.ts", "connected and closed over and over")
    ],
    break: {
      file: "packages/mcp-client/src/stdio/StdioChannel.ts",
      find: "yield* Scope.addFinalizerExit(yield* Effect.scope, () =>",
      replace: "yield* Effect.succeed(() =>"
    }
  },
  {
    id: "R4",
    promise:
      "After kill -9 the next call, or the backoff, starts the server again and succeeds (`restart: on-failure`).",
    proofs: [
      ...proofs(RECOVERY, "has one process, the same tools and an answer to every call after a server was killed"),
      ...proofs(
        "test/Revival.test.ts",
        "a call right after kill -9 revives the server",
        "comes back by itself when nobody calls"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/state/RestartPolicy.ts",
      find: "|| config.restart === \"on-failure\" ||",
      replace: "||"
    }
  },
  {
    id: "R5",
    promise: "After that two calls in a row succeed, the tools are still listed, and there is one process.",
    proofs: [
      ...proofs(RECOVERY, "has one process, the same tools and an answer to every call after a server was killed"),
      ...proofs("test/Revival.test.ts", "a call right after kill -9 revives the server"),
      ...proofs("test/Soak.test.ts", "starts, stops, kills, crashes and calls in any order violate nothing")
    ],
    break: {
      file: "packages/mcp-registry/src/lifecycle/ServerLife.ts",
      find: "yield* tellReady(",
      replace: "if (!course.wasEverReady) yield* tellReady("
    }
  },
  {
    id: "R6",
    promise:
      "When a connection ends, all that is pending fails with a typed error within a second, whatever the timeout.",
    proofs: [
      ...proofs(RECOVERY, "fails every call that waits within a second of a server's death"),
      ...proofs("test/Revival.test.ts", "kill -9 fails all that is pending in less than a second"),
      ...proofs(FAULTS, "is not ready within a second, and an event says so"),
      ...proofs(TEARDOWN, "fails the calls in flight with a typed error before the process goes"),
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/http/HttpStreams.test.ts",
        "fails a call at once when its response stream ends"
      )
    ],
    break: {
      file: "packages/mcp-client/src/stdio/StdioChannel.ts",
      find: "Effect.map(Effect.timeoutOption(Deferred.await(this.isRead), LAST_OUTPUT)",
      replace: "Effect.map(Effect.delay(Deferred.await(this.isRead), \"5 seconds\")"
    }
  },
  {
    id: "R7",
    promise:
      "One server that fails and one that hangs leave the healthy one's tools and the chat turn alone, and are named.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry.test.ts",
        "is ready at once and serves the others while one server never answers"
      ),
      ...proofs("test/Company.test.ts", "a first turn completes with the good server's tools"),
      ...proofs("test/Zoo.test.ts", "of many servers the good ones are usable"),
      ...proofs("test/Smoke.test.ts", "logs the tools of the healthy server beside one")
    ],
    break: {
      file: "packages/mcp-registry/src/RegistryView.ts",
      find: "Effect.partition(",
      replace: "Effect.forEach("
    }
  },
  {
    id: "R16",
    promise:
      "The registry is ready within a second of its start, and a first turn works, while a server never answers.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry.test.ts",
        "is ready at once and serves the others while one server never answers"
      ),
      ...proofs("test/Company.test.ts", "a first turn completes with the good server's tools"),
      ...proofs("test/Zoo.test.ts", "of many servers the good ones are usable")
    ],
    break: {
      file: "packages/mcp-registry/src/lifecycle/McpServer.ts",
      find: "yield* Effect.acquireRelease(control.open, () => control.close)",
      replace: "yield* Effect.acquireRelease(control.open, () => control.close); yield* Effect.exit(settled)"
    }
  },
  {
    id: "R17",
    promise: "Servers that need 300 ms each are ready in less than twice that, all of them.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/lifecycle/Startup.test.ts",
        "makes nine servers of 300 ms each ready in 300 ms",
        "lets no more servers connect at the same time than it is told"
      ),
      ...proofs("test/Zoo.test.ts", "eight servers initialize side by side, however long each takes")
    ],
    break: {
      file: "packages/mcp-registry/src/lifecycle/ServerControl.ts",
      find: "Effect.catchCause(led,",
      replace: "Effect.catchCause((globalThis.one ??= Semaphore.makeUnsafe(1)).withPermit(led),"
    }
  },
  {
    id: "R18",
    promise: "`startupTimeout` and `timeout` are each server's own and exact; who missed the start joins later.",
    proofs: proofs(
      "packages/mcp-registry/test/McpRegistry/calls/TimeLimits.test.ts",
      "holds the startupTimeout of each entry to the millisecond",
      "holds the timeout of each entry to the millisecond",
      "tries a server that missed its startupTimeout again by itself"
    ),
    break: {
      file: "packages/mcp-registry/src/lifecycle/ConnectAttempt.ts",
      find: "duration: options.config.startupTimeout,",
      replace: "duration: \"30 seconds\","
    }
  },
  {
    id: "R19",
    promise: "A server that is down at the start and up two seconds later is used without anybody's doing.",
    proofs: [
      ...proofs(RECOVERY, "uses a server that was down for its first two seconds"),
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/http/HttpOutages.test.ts",
        "uses a server that refused connections for its first two seconds"
      ),
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/calls/TimeLimits.test.ts",
        "tries a server that missed its startupTimeout again by itself"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/state/RestartPolicy.ts",
      find: "PERMANENT.has(reason._tag)",
      replace: "PERMANENT.has(reason._tag) || reason._tag === \"Exited\""
    }
  },
  {
    id: "R20",
    promise: "A server that ends at once is started a few times in its first minute, spread, and harms no other.",
    proofs: [
      ...proofs(
        RECOVERY,
        "starts a server that ends at once seven times in a minute at most",
        "waits a different time each, so that servers which died together"
      ),
      ...proofs(
        "packages/mcp-registry/test/state/RestartPolicy.test.ts",
        "doubles from half a second",
        "spreads by a quarter to both sides"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/state/RestartPolicy.ts",
      find: "const SLOW_DELAY_MILLIS = 60_000",
      replace: "const SLOW_DELAY_MILLIS = 500"
    }
  },
  {
    id: "R21",
    promise: "Trying goes on for ever at a capped pace, and a healthy minute clears the record.",
    proofs: [
      ...proofs(RECOVERY, "goes on trying a server that keeps dying, at intervals of 75 s at most"),
      ...proofs(
        "packages/mcp-registry/test/lifecycle/McpServer.test.ts",
        "does not hold old failures against a server that was healthy",
        "tries a server that keeps dying a few times a minute at most"
      ),
      ...proofs(
        "packages/mcp-registry/test/state/RestartPolicy.test.ts",
        "never waits less than 375 ms nor more than 75 s"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/state/RestartPolicy.ts",
      find: "failures > FAST_ATTEMPTS ? SLOW_DELAY_MILLIS : ",
      replace: ""
    }
  },
  {
    id: "R40",
    promise: "A server that ends tells exit code and last words; standard error is always drained.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/lifecycle/Diagnostics.test.ts",
        "says exit code and last words of a server that ends before it said anything"
      ),
      ...proofs("test/Zoo.test.ts", "exit code, last words, step and time"),
      ...proofs(FAULTS, "10 MB of standard error before the start and during a call block nothing"),
      ...proofs("packages/mcp-client/test/base/TextTail.test.ts", "keeps the last 8 KB from a line's start")
    ],
    break: {
      file: "packages/mcp-client/src/stdio/StdioChannel.ts",
      find: "output.readErrors(bytes)",
      replace: "Effect.void"
    }
  },
  {
    id: "R41",
    promise: "What a healthy server writes to standard error goes to the debug level and nowhere else.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/lifecycle/Diagnostics.test.ts",
        "logs what a healthy server writes to standard error at debug level"
      ),
      ...proofs(FAULTS, "10 MB of standard error before the start and during a call block nothing")
    ],
    break: {
      file: "packages/mcp-client/src/stdio/ServerOutput.ts",
      find: "Effect.logDebug(`${name}: ${line}`)",
      replace: "Effect.logInfo(`${name}: ${line}`)"
    }
  },
  {
    id: "R42",
    promise: "A server that exits at whatever step never takes the host along: no stray rejection, no stray exception.",
    proofs: [
      ...proofs(FAULTS, "servers that exit at each step of the protocol never take the host along"),
      ...proofs("test/Soak.test.ts", "starts, stops, kills, crashes and calls in any order violate nothing"),
      ...proofs("packages/mcp-registry/test/calls/ServerCall.test.ts", "goes on after an answer that nobody asked for")
    ],
    break: {
      file: "packages/mcp-client/src/rpc/Requests.ts",
      find: "this.end ??= why",
      replace: "this.end ??= why; queueMicrotask(() => { throw CLOSED })"
    }
  },
  {
    id: "R43",
    promise: "Closing ends the input, then SIGTERM, then SIGKILL; twenty stubborn servers go side by side.",
    proofs: [
      ...proofs(
        TEARDOWN,
        "ends the input, sends SIGTERM after 500 ms and SIGKILL after five more seconds",
        "takes no signal for a server that ends with its input",
        "closes servers in parallel"
      ),
      ...proofs(
        FAULTS,
        "eight stubborn servers close side by side within 6 s",
        "ten well-behaved servers close within 150 ms"
      )
    ],
    break: {
      file: "packages/mcp-client/src/stdio/ProcessClose.ts",
      find: "export const INPUT_GRACE = Duration.millis(500)",
      replace: "export const INPUT_GRACE = Duration.millis(400)"
    }
  },
  {
    id: "R45",
    promise: "Within a second of a server's death its status says so everywhere, and an event was sent.",
    proofs: [
      ...proofs("packages/mcp-registry/test/McpRegistry.test.ts", "tells every change of state to who listens"),
      ...proofs("test/Company.test.ts", "the API tells within a second that a server was killed"),
      ...proofs(FAULTS, "is not ready within a second, and an event says so"),
      ...proofs(
        "packages/mcp-registry/test/lifecycle/McpServer.test.ts",
        "leaves a server that died failed, with its tools known"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/servers/ServerSlot.ts",
      find: "if (generation === this.current) this.publish(",
      replace: "if (generation !== this.current) this.publish("
    }
  },
  {
    id: "R46",
    promise:
      "Reconnecting during an outage and after it works, and the late end of an old connection touches no new one.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/http/HttpOutages.test.ts",
        "lets the end of an old session, whenever it comes, touch nothing of the one in its place"
      ),
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/http/HttpSessions.test.ts",
        "lets what still runs on the old session end there"
      ),
      ...proofs(FAULTS, "during an outage starting fails, after it a start works"),
      ...proofs(TEARDOWN, "answers callers that still wait for a server when the scope closes"),
      ...proofs("test/HttpFaults.test.ts", "goes on with a server that was restarted and has forgotten its sessions")
    ],
    break: {
      file: "packages/mcp-client/src/connect/SessionRenewal.ts",
      find: "? Deferred.succeed(lost, why) : Effect.void",
      replace: "? Deferred.succeed(lost, why) : Deferred.succeed(lost, why)"
    }
  },
  {
    id: "R47",
    promise: "Twenty calls at once on a dead server start it once (`restart: on-failure`).",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/lifecycle/McpServer.test.ts",
        "is revived by a call, once however many callers wait"
      ),
      ...proofs("test/Revival.test.ts", "20 calls at once on a dead server start one process"),
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/http/HttpSessions.test.ts",
        "lets 20 calls that find their session gone share one new session"
      )
    ],
    break: {
      file: "packages/mcp-registry/src/calls/Dispatch.ts",
      find: "wake.openUnsafe()",
      replace: ""
    }
  },
  {
    id: "R93",
    promise: "Ten chats share one process of a server; one that nobody called for its `idleTtl` is stopped.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/lifecycle/IdleTtl.test.ts",
        "stops a server that was not called for so long; its tools stay",
        "lets ten callers at once start one process, call after call",
        "counts from the end of the last call, however long that took"
      ),
      ...proofs("test/Lazy.test.ts", "has no process until ten callers start one, and none again")
    ],
    break: {
      file: "packages/mcp-registry/src/lifecycle/Idle.ts",
      find: "if (left > 0) yield* Effect.sleep(left)",
      replace: "if (left > -1) yield* Effect.never"
    }
  },
  {
    id: "R94",
    promise: "A `lazy` server has no process until its first call, lists what it listed last, and is started once.",
    proofs: [
      ...proofs(
        "packages/mcp-registry/test/McpRegistry/lifecycle/Lazy.test.ts",
        "has no process until its first call, and lists what it listed last",
        "starts one process for ten callers at once, and all are answered",
        "that was never listed is started once to learn its tools"
      ),
      ...proofs("test/Lazy.test.ts", "has no process until ten callers start one, and none again")
    ],
    break: {
      file: "packages/mcp-registry/src/lifecycle/ServerLife.ts",
      find: "options.config.lazy && !isWanted ? yield* sleepFirst(options)",
      replace: "false ? yield* sleepFirst(options)"
    }
  }
]
