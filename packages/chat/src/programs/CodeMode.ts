/** Whether a model writes programs instead of single calls. */

/** The mode in the settings. `auto`: where tools are left to search, and the model is known to write code. */
export type Mode = "auto" | "on" | "off"

/** The facts that decide. */
export interface Wish {
  readonly mode: Mode
  /** The choice of the agent; undefined leaves it to the mode. */
  readonly agent: boolean | undefined
  /** Whether the model is known to write code. */
  readonly writesCode: boolean
}

/** Whether programs are wanted, as far as that can be told without the tools; null where their number decides. */
export const wanted = ({ agent, mode, writesCode }: Wish): boolean | null => {
  if (agent !== undefined) return agent
  if (mode !== "auto") return mode === "on"
  return writesCode ? null : false
}
