/** The words of what a server did over the day. */
import { translated } from "../../language/Language.ts"

export const activity = translated(
  "activity",
  {
    tab: "Activity",
    reading: "Reading …",
    range: "Shown",
    ranges: { "24": "24 hours", "168": "7 days" },
    calls: "Calls",
    failed: "Failed",
    times: "Time of a call",
    callsChart: (calls: number, failed: number) => `${calls} calls, ${failed} of them failed`,
    timesChart: (slots: number) => `How long half of the calls took, and 95 of 100, in ${slots} slots of time`,
    half: "half of them",
    most: "95 of 100",
    slowest: "Slowest",
    from: "From",
    median: (time: string) => `half within ${time}`,
    high: (time: string) => `95 of 100 within ${time}`,
    ofFailed: (failed: number) => `${failed} failed`,
    many: (calls: number) => calls === 1 ? "1 call" : `${calls} calls`,
    none: "No call in this time.",
    own: "These are the calls that were made for you.",
    kept: (days: number) =>
      days === 0 ? "Calls are not kept here: auditDays of settings.json is 0." : `Calls are kept for ${days} days.`,
    events: "What happened to it",
    kinds: {
      ready: "became ready",
      restarted: "was started again after it had ended",
      failed: "failed",
      stopped: "was stopped"
    },
    because: (what: string, reason: string) => `${what} (${reason})`,
    mark: (time: string, what: string) => `${time}: it ${what}`,
    noEvents: "Nothing in this time.",
    asTable: "As a table",
    csv: "Download as CSV"
  } as const
)
