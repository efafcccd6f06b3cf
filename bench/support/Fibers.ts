/** The calls of clients that know Effect, and how such a client is told as one that others know. */
import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { check, type Client, type Plan, TEXT } from "./Client.ts"

export type Call<E = unknown> = (
  server: string,
  tool: string,
  input: Readonly<Record<string, unknown>>
) => Effect.Effect<string, E>

/** Servers whose tools can be called. */
export interface Ready {
  readonly call: Call
  readonly tools: Effect.Effect<number>
}

/** The calls of a plan, by as many fibers as are to be in flight. */
const planned = (call: Call, { count, inFlight, servers, times }: Plan): Effect.Effect<void, unknown> => {
  let next = 0
  const worker = Effect.gen(function*() {
    while (next < count) {
      const at = next++
      const start = performance.now()
      check(yield* call(servers[at % servers.length] ?? "", "echo", { text: TEXT }))
      if (times !== undefined) times[at] = performance.now() - start
    }
  })
  return inFlight === 1 ? worker : Effect.forEach(Array.from({ length: inFlight }), () => worker, {
    concurrency: "unbounded",
    discard: true
  })
}

/** The client of a runtime, once it is ready. */
export const client = async <R>(
  runtime: ManagedRuntime.ManagedRuntime<R, unknown>,
  ready: Effect.Effect<Ready, unknown, R>
): Promise<Client> => {
  const { call, tools } = await runtime.runPromise(ready)
  return {
    call: (server, tool, input) => runtime.runPromise(call(server, tool, input)),
    calls: (plan) => runtime.runPromise(planned(call, plan)),
    tools: () => runtime.runPromise(tools),
    close: () => runtime.dispose()
  }
}

/** A call by the tool object of a model's loop: the last of its results, as the model gets it. */
export const handled = <E>(
  handle: (
    server: string,
    tool: string,
    input: Readonly<Record<string, unknown>>
  ) => Effect.Effect<Stream.Stream<{ readonly encodedResult: unknown }, E>, E>
): Call<E> =>
(server, tool, input) =>
  Effect.flatMap(handle(server, tool, input), (results) => {
    let last: unknown
    const keep = ({ encodedResult }: { readonly encodedResult: unknown }) =>
      Effect.sync(() => {
        last = encodedResult
      })
    return Effect.map(Stream.runForEach(results, keep), () => String(last))
  })
