import { defineConfig } from "vitest/config"

/** These measure time or memory, or use all there is of a machine, so nothing else runs beside them. */
const MEASURING = ["Conformance", "Faults", "Floods", "HttpFaults", "Load", "ProcessTable", "Slope", "Soak", "Zoo"].map(
  (name) => `test/${name}.test.ts`
)

const live = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "packages",
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          testTimeout: 20_000,
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
          exclude: MEASURING,
          // Most of their time they wait for other programs, which each of them counts by a marker of its own.
          maxWorkers: 4,
          sequence: { groupOrder: 1 }
        }
      },
      {
        test: {
          ...live,
          name: "measuring",
          include: MEASURING,
          fileParallelism: false,
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
