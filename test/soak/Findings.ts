/** What the soak has seen so far: what was done last, what was violated, and numbers for the report. */

export interface Violation {
  readonly step: number
  readonly what: string
  /** The steps that led there. */
  readonly history: ReadonlyArray<string>
}

const HISTORY = 40

export class Findings {
  readonly seed: number
  readonly started = performance.now()
  readonly violations: Array<Violation> = []
  readonly counts = new Map<string, number>()
  /** In milliseconds, the longest of each kind. */
  readonly longest = new Map<string, number>()
  private readonly history: Array<string> = []
  private readonly told: (violation: Violation) => void
  step = 0

  constructor(seed: number, told: (violation: Violation) => void) {
    this.seed = seed
    this.told = told
  }

  note(line: string): void {
    const seconds = ((performance.now() - this.started) / 1000).toFixed(2)
    this.history.push(`${seconds} s, step ${this.step}: ${line}`)
    if (this.history.length > HISTORY) this.history.shift()
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by)
  }

  took(what: string, millis: number): void {
    this.longest.set(what, Math.max(this.longest.get(what) ?? 0, millis))
  }

  violated(what: string): void {
    const violation = { step: this.step, what, history: [...this.history] }
    this.violations.push(violation)
    this.told(violation)
  }
}
