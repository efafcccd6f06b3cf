import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "packages",
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          testTimeout: 20_000
        }
      },
      {
        test: {
          name: "live",
          include: ["test/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Real processes are counted from outside, and two cores are shared.
          fileParallelism: false
        }
      }
    ]
  }
})
