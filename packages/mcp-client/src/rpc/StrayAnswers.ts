/** Answers to requests that were never sent. They count for nothing; that they came says what is wrong with a server. */

/** Counts the answers on one channel that no request asked for. */
export class StrayAnswers {
  private last = 0
  /** The few ids of ours that are no numbers. */
  private names: Set<string> | null = null
  private count = 0
  private first = ""

  /** Notes a request of ours; numbers only grow. */
  asked(id: string | number): void {
    if (typeof id === "number") this.last = id
    else (this.names ??= new Set()).add(id)
  }
  /** Notes an answer. One that comes late, or twice, is none of these. */
  answered(id: string | number): void {
    if (typeof id === "number" ? isCount(id) && id <= this.last : this.names?.has(id) === true) return
    if (this.count++ === 0) this.first = shown(JSON.stringify(id))
  }
  /** At most one line. */
  diagnostics(): ReadonlyArray<string> {
    if (this.count === 0) return []
    return this.count === 1
      ? [`it answered a request that was never sent, by the id ${this.first}`]
      : [`it answered ${this.count} requests that were never sent, the first by the id ${this.first}`]
  }
}

const isCount = (id: number): boolean => Number.isInteger(id) && id > 0

const SHOWN = 100

const shown = (id: string): string => id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id
