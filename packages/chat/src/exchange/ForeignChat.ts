/** Conversations of the exports of ChatGPT and Claude: trees of messages, of which the current branch counts. */
import { Hash } from "@boocode/mcp-client/Text"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Listed, Spoken } from "./MessageList.ts"

/** A message, and the one before it. */
interface Node {
  readonly id: string
  readonly parent: string | null
  /** Null for what nobody said: the root, and what is hidden. */
  readonly message: Spoken | null
}

/** From the leaf back to the root; a circle ends it. */
const branch = (nodes: ReadonlyMap<string, Node>, leaf: string | null): ReadonlyArray<Spoken> => {
  const seen = new Set<string>()
  const messages: Array<Spoken> = []
  let node = nodes.get(leaf ?? "")
  while (node !== undefined && !seen.has(node.id)) {
    seen.add(node.id)
    if (node.message !== null) messages.push(node.message)
    node = nodes.get(node.parent ?? "")
  }
  return messages.reverse()
}

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Named = Schema.Struct({ name: maybe(Schema.String), file_name: maybe(Schema.String) })

const withAttached = (text: string, files: ReadonlyArray<typeof Named.Type | null | undefined> | null | undefined) =>
  [text, ...(files ?? []).map((file) => `Attached: ${file?.file_name || file?.name || "a file"}`)]
    .filter((line) => line !== "").join("\n\n")

/** The arguments or the result of a tool, as text that Markdown cannot take for something else. */
const toolText = (title: string, text: string): string => {
  const marks = "`".repeat(Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1)
  return text.trim() === "" ? "" : `${title}:\n\n${marks}\n${text}\n${marks}`
}

const isoOf = (time: number | string | null | undefined): string | null =>
  time === null || time === undefined
    ? null
    : Option.getOrNull(
      Option.map(DateTime.make(typeof time === "number" ? time * 1000 : time), DateTime.formatIso)
    )

/** Another id than a UUID is no name for a chat: one is made of it, the same at each import. */
const idOf = (id: string | null | undefined): string | null => {
  if (id === null || id === undefined || id === "") return null
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id
  const digits = [1, 2, 3, 4].map((part) => Hash.short(`${part} ${id}`)).join("")
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-8$3-8$4-$5")
}

// ChatGPT: `mapping` has the nodes by their ids, and `current_node` is the leaf.

const GptMessage = Schema.Struct({
  author: Schema.Struct({ role: Schema.String, name: maybe(Schema.String) }),
  create_time: maybe(Schema.Finite),
  recipient: maybe(Schema.String),
  weight: maybe(Schema.Finite),
  content: maybe(Schema.Struct({
    content_type: Schema.String,
    parts: maybe(Schema.Array(Schema.Unknown)),
    text: maybe(Schema.String),
    result: maybe(Schema.String)
  })),
  metadata: maybe(Schema.Struct({
    model_slug: maybe(Schema.String),
    is_visually_hidden_from_conversation: maybe(Schema.Boolean),
    attachments: maybe(Schema.Array(Schema.NullOr(Named)))
  }))
})

const GptNode = Schema.Struct({ parent: maybe(Schema.String), message: maybe(GptMessage) })

const Gpt = Schema.Struct({
  id: maybe(Schema.String),
  conversation_id: maybe(Schema.String),
  title: maybe(Schema.String),
  create_time: maybe(Schema.Finite),
  update_time: maybe(Schema.Finite),
  current_node: maybe(Schema.String),
  mapping: Schema.Record(Schema.String, Schema.Unknown)
})

/** Thoughts of the model, and what it was told about the person. */
const UNSAID = /^(thoughts|reasoning_recap|user_editable_context|model_editable_context)$/

const gptMessage = (message: typeof GptMessage.Type): Spoken | null => {
  const { author: { name, role }, content, metadata, recipient, weight } = message
  const isHidden = weight === 0 || metadata?.is_visually_hidden_from_conversation === true || role === "system"
  if (isHidden || content === null || content === undefined || UNSAID.test(content.content_type)) return null
  const images = (content.parts ?? []).filter((part) => typeof part !== "string" && part !== null)
  const written = (content.parts ?? []).filter((part) => typeof part === "string").join("\n")
  const text = written === "" ? content.text ?? content.result ?? "" : written
  const base = { model: metadata?.model_slug ?? "", time: isoOf(message.create_time) }
  if (role === "user") {
    const known = metadata?.attachments ?? []
    // An image stands in the parts, and with its name among the attachments.
    const unnamed = images.slice(known.length).map(() => ({ name: "an image" }))
    return { ...base, role, text: withAttached(text, [...known, ...unnamed]) }
  }
  if (role === "tool") return { ...base, role: "assistant", text: toolText(`Result of ${name || "a tool"}`, text) }
  const isCall = recipient !== null && recipient !== undefined && recipient !== "all"
  const said = isCall
    ? toolText(`Called ${recipient}`, text)
    : content.content_type === "code"
    ? toolText("Code", text)
    : text
  return { ...base, role: "assistant", text: images.length === 0 ? said : withAttached(said, [{ name: "an image" }]) }
}

const decodeNode = Schema.decodeUnknownOption(GptNode)

const gptListed = (chat: typeof Gpt.Type): Listed => {
  const nodes = new Map(
    Object.entries(chat.mapping).flatMap(([id, value]) =>
      Option.match(decodeNode(value), {
        // A message that cannot be understood says nothing; the branch goes on behind it.
        onNone: () => [[id, { id, parent: parentOf(value), message: null }] as const],
        onSome: ({ message, parent }) => [
          [id, {
            id,
            parent: parent ?? null,
            message: message === null || message === undefined ? null : gptMessage(message)
          }] as const
        ]
      })
    )
  )
  return {
    id: idOf(chat.conversation_id ?? chat.id),
    title: chat.title || null,
    createdAt: isoOf(chat.create_time),
    updatedAt: isoOf(chat.update_time),
    spoken: branch(nodes, nodes.has(chat.current_node ?? "") ? chat.current_node ?? null : newestLeaf(nodes))
  }
}

const decodeParent = Schema.decodeUnknownOption(Schema.Struct({ parent: Schema.String }))

const parentOf = (node: unknown): string | null =>
  Option.getOrNull(Option.map(decodeParent(node), ({ parent }) => parent))

/** Where the export does not say which branch is current: the one that was written last. */
const newestLeaf = (nodes: ReadonlyMap<string, Node>): string | null => {
  const parents = new Set([...nodes.values()].map(({ parent }) => parent))
  const leaves = [...nodes.values()].filter(({ id }) => !parents.has(id))
  const time = ({ message }: Node) => message?.time ?? ""
  return leaves.reduce<Node | null>((best, one) => best === null || time(one) >= time(best) ? one : best, null)?.id ??
    null
}

// Claude: `chat_messages` is a list, whose messages may name the one before them.

const Block = Schema.Struct({
  type: Schema.String,
  text: maybe(Schema.String),
  name: maybe(Schema.String),
  input: maybe(Schema.Unknown),
  content: maybe(Schema.Unknown)
})

const ClaudeMessage = Schema.Struct({
  uuid: maybe(Schema.String),
  sender: Schema.String,
  text: maybe(Schema.String),
  created_at: maybe(Schema.String),
  parent_message_uuid: maybe(Schema.String),
  content: maybe(Schema.Array(Block)),
  attachments: maybe(Schema.Array(Schema.NullOr(Named))),
  files: maybe(Schema.Array(Schema.NullOr(Named)))
})

const Claude = Schema.Struct({
  uuid: maybe(Schema.String),
  name: maybe(Schema.String),
  created_at: maybe(Schema.String),
  updated_at: maybe(Schema.String),
  current_leaf_message_uuid: maybe(Schema.String),
  chat_messages: Schema.Array(Schema.Unknown)
})

const decodeMessage = Schema.decodeUnknownOption(ClaudeMessage)
const decodeTexts = Schema.decodeUnknownOption(Schema.Array(Schema.Struct({ text: Schema.String })))

const blockText = ({ content, input, name, text, type }: typeof Block.Type): string => {
  if (type === "text") return text ?? ""
  if (type === "tool_use") return toolText(`Called ${name || "a tool"}`, JSON.stringify(input ?? {}, null, 2))
  if (type !== "tool_result") return ""
  const given = typeof content === "string"
    ? content
    : Option.match(decodeTexts(content), { onNone: () => "", onSome: (all) => all.map(({ text }) => text).join("\n") })
  return toolText(`Result of ${name || "a tool"}`, given)
}

const claudeMessage = (message: typeof ClaudeMessage.Type): Spoken => {
  const blocks = (message.content ?? []).map(blockText).filter((text) => text.trim() !== "").join("\n\n")
  return {
    role: message.sender === "human" || message.sender === "user" ? "user" : "assistant",
    text: withAttached(blocks === "" ? message.text ?? "" : blocks, [
      ...message.attachments ?? [],
      ...message.files ?? []
    ]),
    model: "",
    time: isoOf(message.created_at)
  }
}

const claudeListed = (chat: typeof Claude.Type): Listed => {
  const messages = chat.chat_messages.flatMap((value) => Option.toArray(decodeMessage(value)))
  const hasParents = messages.some(({ parent_message_uuid }) => typeof parent_message_uuid === "string")
  const ids = messages.map(({ uuid }, at) => uuid ?? `${at}`)
  const nodes = new Map(messages.map((message, at): [string, Node] => {
    const id = ids[at] ?? ""
    const parent = hasParents ? message.parent_message_uuid ?? null : ids[at - 1] ?? null
    return [id, { id, parent, message: claudeMessage(message) }]
  }))
  const leaf = chat.current_leaf_message_uuid
  return {
    id: idOf(chat.uuid),
    title: chat.name || null,
    createdAt: isoOf(chat.created_at),
    updatedAt: isoOf(chat.updated_at),
    spoken: branch(nodes, nodes.has(leaf ?? "") ? leaf ?? null : ids.at(-1) ?? null)
  }
}

const decodeGpt = Schema.decodeUnknownOption(Gpt)
const decodeClaude = Schema.decodeUnknownOption(Claude)

/** The conversation in a JSON value; null where it is of neither program. */
export const read = (json: unknown): Listed | null =>
  Option.getOrNull(
    Option.orElse(Option.map(decodeGpt(json), gptListed), () => Option.map(decodeClaude(json), claudeListed))
  )
