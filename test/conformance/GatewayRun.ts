/** `GatewayRun.ts ERA`: a gateway in front of the fixture server `Conforming`, for the suite to look at; prints its address. */
import { Profile } from "@boocode/mcp-gateway"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { program } from "../support/FixtureServer.ts"
import * as GatewayHost from "../support/GatewayHost.ts"

const [, , protocol = "auto"] = process.argv

await Effect.runPromise(
  Effect.gen(function*() {
    const { url } = yield* GatewayHost.serve({ profile: { ...Profile.standard, names: "bare", exposure: "flat" } })
    yield* Console.log(url)
    return yield* Effect.never
  }).pipe(
    Effect.provide(GatewayHost.registry({ it: { ...program("Conforming"), protocol, roots: true } })),
    Effect.scoped
  )
)
