/** The purpose for which a database is opened. */

/** A server goes on with what a killed program left behind. A command does not; where it cannot write it forgets. */
export type Purpose = "server" | "command"
