/** What a database is opened for. */

/** A server goes on with what a killed program left behind. A command does not; where it cannot write it forgets. */
export type Purpose = "server" | "command"
