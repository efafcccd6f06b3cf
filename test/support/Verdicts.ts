/** What `mcp doctor --json` found. */

export interface Found {
  readonly name: string
  readonly verdict: string
  readonly steps: ReadonlyArray<{ readonly step: string; readonly outcome: string; readonly millis: number | null }>
}

/** Each server, and the step it did not get past. */
export const of = (stdout: string): Readonly<Record<string, string>> => {
  const servers: ReadonlyArray<Found> = JSON.parse(stdout).servers
  return Object.fromEntries(servers.map(({ name, steps, verdict }) => [
    name,
    steps.find(({ outcome }) => outcome === "problem")?.step ?? verdict
  ]))
}
