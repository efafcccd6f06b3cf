/** The artifacts of the open chat, and how one of them comes to stand beside it. */
import type { OpenChat } from "../open/OpenChat.ts"
import { type Artifact, lineagesOf } from "./Lineage.ts"
import { shownArtifact } from "./ShownArtifact.ts"

/** The artifacts of a chat, by the things that they are versions of. Reads the signals of its turns. */
export const artifactsOf = (chat: OpenChat): ReadonlyArray<ReadonlyArray<Artifact>> =>
  lineagesOf(chat.turns.value.map(({ model, number }) => ({
    number,
    blocks: model.value.blocks,
    isOver: model.value.finish !== null
  })))

/** In a list a block stands further in than it is shown. */
const flat = (text: string): string => text.split("\n").map((line) => line.trim()).join("\n").trim()

/** Opens the artifact of a block of code beside its chat. */
export const openArtifact = (chat: OpenChat, text: string): void => {
  const wanted = flat(text)
  for (const versions of artifactsOf(chat).toReversed()) {
    const at = versions.findLastIndex((one) => one.text === text || flat(one.text) === wanted)
    const found = versions[at]
    if (found === undefined) continue
    shownArtifact.value = { chat: chat.id, key: found.key, version: at === versions.length - 1 ? null : at }
    return
  }
}
