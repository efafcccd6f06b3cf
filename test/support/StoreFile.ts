/** A store of chats in a SQLite file, as the chat server opens it. */
import { SqlChatStore } from "@boocode/chat"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Layer from "effect/Layer"
import * as SqliteFile from "../../apps/chat-server/src/database/SqliteFile.ts"

/** With its database and who writes. */
export const layer = (file: string) =>
  Layer.provideMerge(SqlChatStore.layer(file), SqliteFile.layer(file, "server")).pipe(Layer.provide(NodeServices.layer))
