import { type Program, Sandbox } from "@boocode/toolkit/code"
import * as Effect from "effect/Effect"

/** The value of a program that may list a folder, or why it ended. Your `call` is the gate: it checks, asks and makes the call. */
export const answer = (source: string, call: Program["call"]) =>
  Sandbox.use((sandbox) =>
    sandbox.run({
      source,
      functions: [{ server: "files", tool: "list_directory", name: "files_list_directory" }],
      describe: () => Effect.succeed("list_directory(args: { path: string }): Promise<string>"),
      call
    })
  ).pipe(Effect.map(({ calls, console, error, value }) => ({ value, console, calls, failed: error?.message ?? null })))
