/** A chat as it is written to a file and read from one. */
import type { ChatRecord, ChatTurn } from "../model/Chat.ts"

/** A chat without its id: an import gets a new one. */
export interface ChatDocument {
  readonly record: Omit<ChatRecord, "id">
  /** In order, with their parts. */
  readonly turns: ReadonlyArray<ChatTurn>
  /** The bytes of attachments by their id. */
  readonly files: ReadonlyMap<string, Uint8Array>
}
