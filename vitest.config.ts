import process from "node:process"
import { defineConfig } from "vitest/config"

/** These have a larger size, which `pnpm test:long` takes. */
const SIZED = ["Breaks", "Floods", "Kill", "Load", "Pending", "Slope", "Soak", "Storage"].map((name) =>
  `test/${name}.test.ts`
)

/** Limits for a busy machine, where a test takes ten times as long: only what fails waits so long. */
const live = { testTimeout: 300_000, hookTimeout: 300_000 }

const long = { test: { ...live, name: "long", include: SIZED, fileParallelism: false } }

export default defineConfig({
  test: {
    projects: process.env["BOOCODE_TEST_LONG"] !== undefined ? [long] : [
      {
        test: {
          name: "packages",
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          testTimeout: 60_000,
          // Loading the same modules once more for each file takes longer than the tests, which share nothing but those.
          isolate: false,
          // Left alone, one core stays idle; on two that is half of the time.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          ...live,
          name: "live",
          include: ["test/*.test.ts"],
          // Most of their time they wait for other programs, which each of them counts by a marker of its own.
          maxWorkers: 4,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
