/** How the tests run: `scripts/Test.mjs` gives this to vitest. */
import process from "node:process"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const files = (names: ReadonlyArray<string>) => names.map((name) => `test/${name}.test.ts`)

/** These measure memory, take a minute, count in the hundreds, or install the libraries: `pnpm test:long` alone runs them. */
const LONG = files(["Breaks", "Floods", "Load", "PackedPackages", "Pending", "Slope", "Soak"])

/** These tests have a larger size, which `pnpm test:long` takes. */
const SIZED = [
  ...LONG,
  ...files([
    "Faults",
    "Fleet",
    "FleetChats",
    "Gateway",
    "GatewayConformance",
    "GatewayTrouble",
    "HeapGrowth",
    "HostEnd",
    "HotReload",
    "Kill",
    "McpServe",
    "PageSetup",
    "PageWork",
    "Panels",
    "Pictures",
    "PublishedClients",
    "Smoke",
    "Storage",
    "Zoo"
  ]),
  "packages/mcp-fleet/test/owner/Schedules.test.ts"
]

/** These take longest. Begun late, they would keep the run waiting while a core is idle. */
const LONGEST = [
  "Pack",
  "Fleet",
  "FleetChats",
  "EventStreams",
  "Panels",
  "Faults",
  "Zoo",
  "Idle",
  "HotReload",
  "Smoke",
  "CliRemote"
]

/** These measure the memory, handles or children of their own process, or keep a database for it. Each has one of its own. */
const ALONE = files(["HttpFaults", "ProcessGuard", "Storage"])

const PROJECTS = ["alone", "live", "packages"]

/** Vitest ends a process that files share when the next file is of another project, so the files of a project come together. */
const rank = ({ moduleId, project }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return PROJECTS.indexOf(project.name) * 100 + (place < 0 ? LONGEST.length : place)
}

/** The longest begin first. The tests of packages come last: they are many and short, and fill the gaps. */
class LongestFirst extends BaseSequencer {
  override async sort(specifications: Array<TestSpecification>) {
    const sorted = await super.sort(specifications)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

/**
 * More than there are cores, because most of their time the tests wait for other programs. Six were not quicker than four on two
 * cores. All projects have the same number, so that the packages begin while the last of the others still run.
 */
const maxWorkers = 4

/** A young generation that seldom has to be collected: a twelfth of what the tests cost. */
const execArgv = ["--min-semi-space-size=32", "--max-semi-space-size=64"]

/** Limits for a busy machine, where a test takes ten times as long. */
const live = { testTimeout: 300_000, hookTimeout: 300_000 }

const long = { test: { ...live, name: "long", include: SIZED, fileParallelism: false } }

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    sequence: { sequencer: LongestFirst },
    projects: process.env["BOOCODE_TEST_LONG"] !== undefined ? [long] : [
      {
        test: {
          name: "packages",
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts"],
          testTimeout: 60_000,
          // Loading the same modules again for each file takes longer than the tests, which share nothing but modules.
          isolate: false,
          execArgv,
          maxWorkers
        }
      },
      {
        // Loading the modules again for each file takes a second of a processor.
        test: {
          ...live,
          name: "live",
          include: ["test/*.test.ts"],
          exclude: [...ALONE, ...LONG],
          isolate: false,
          execArgv,
          maxWorkers
        }
      },
      {
        test: { ...live, name: "alone", include: ALONE, maxWorkers }
      }
    ]
  }
})
