/** The purpose for which a database is opened. */

/**
 * A server goes on with what a killed program left behind. A command does not; where it cannot write it forgets. A node is a
 * server beside others: which of them has a chat is decided elsewhere, and one that lost it writes to it no more.
 */
export type Purpose = "server" | "command" | "node"

/** The file of the database in the state folder, where no other database is named. */
export const FILE = "chats.sqlite"
