import { defineConfig } from "vitest/config"

/** These wait for other programs most of the time, and count by a marker of their own. */
const WAITING = [
  ...["Canary", "Cli", "CliEdit", "CliRemote", "CliServe", "Doctor", "FixtureServers", "HeadersHelper", "HotReload"],
  ...["Idle", "Interop", "Pack", "Smoke", "Trust", "Zoo"]
].map((name) => `test/${name}.test.ts`)

const live = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "packages",
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          ...live,
          name: "waiting",
          include: WAITING,
          maxWorkers: 2,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          ...live,
          name: "live",
          include: ["test/*.test.ts"],
          exclude: WAITING,
          // Real processes are counted from outside, and two cores are shared.
          fileParallelism: false,
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
