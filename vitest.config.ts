import process from "node:process"
import { defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"

/** These have a larger size, which `pnpm test:long` takes. */
const SIZED = ["Breaks", "Floods", "Kill", "Load", "Pending", "Slope", "Soak", "Storage"].map((name) =>
  `test/${name}.test.ts`
)

/** These take longest. What begins late and takes long is waited for while a core is idle. */
const LONGEST = [
  "Pack",
  "EventStreams",
  "Panels",
  "Pending",
  "Faults",
  "Zoo",
  "Idle",
  "HotReload",
  "Smoke",
  "CliRemote",
  "Breaks",
  "Floods"
]

const rank = ({ moduleId, project }) => {
  if (project.name === "packages") return LONGEST.length + 1
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return place < 0 ? LONGEST.length : place
}

/** Those that take longest begin first. The packages come last: they are many and short, and fill what is idle. */
class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const sorted = await super.sort(specifications)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

/**
 * More than there are cores: most of their time the tests wait for other programs. One number for all, so that the packages
 * begin while the last of the others still run.
 */
const maxWorkers = 4

/** Limits for a busy machine, where a test takes ten times as long: only what fails waits so long. */
const live = { testTimeout: 300_000, hookTimeout: 300_000 }

const long = { test: { ...live, name: "long", include: SIZED, fileParallelism: false } }

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: process.env["BOOCODE_TEST_LONG"] !== undefined ? [long] : [
      {
        test: {
          name: "packages",
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          testTimeout: 60_000,
          // Loading the same modules once more for each file takes longer than the tests, which share nothing but those.
          isolate: false,
          maxWorkers
        }
      },
      {
        test: {
          ...live,
          name: "live",
          include: ["test/*.test.ts"],
          maxWorkers
        }
      }
    ]
  }
})
