/**
 * The client that the suite starts for each scenario, as its command line says: `Client.ts URL`, the scenario in the
 * environment. Exit code 1 when the server cannot be used.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Visiting from "./Visiting.ts"

const { MCP_CONFORMANCE_CONTEXT = "{}", MCP_CONFORMANCE_SCENARIO = "" } = process.env

const visit = {
  scenario: MCP_CONFORMANCE_SCENARIO,
  url: process.argv[2] ?? "",
  context: JSON.parse(MCP_CONFORMANCE_CONTEXT)
}

process.exitCode = await Effect.runPromise(
  Visiting.run(visit).pipe(
    Effect.as(0),
    Effect.catch((message) => Effect.as(Console.error(message), 1))
  )
)
