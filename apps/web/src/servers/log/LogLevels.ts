/** The levels of what servers report, the most talkative first. */
export const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const

export type Tone = "bad" | "warn" | "none"

export const toneOf = (level: string | null): Tone => {
  if (level === null) return "none"
  if (["error", "critical", "alert", "emergency"].includes(level)) return "bad"
  return level === "warning" ? "warn" : "none"
}
