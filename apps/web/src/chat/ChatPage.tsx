/** The route `#/chat/ID`: the conversation, what was used, and the composer. Without an ID it is a new chat. */
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks"
import { changeChat, createChat, forkChat } from "../api/Api.ts"
import { Problem } from "../api/Client.ts"
import type { ChatChange, ChatOff, ChatWrite } from "../api/Types.ts"
import { chat as words } from "../messages/ChatMessages.ts"
import { ui } from "../messages/UiMessages.ts"
import { agents, models } from "../state/Catalog.ts"
import { chatActions } from "../state/ChatActions.ts"
import { isDrawerOpen } from "../state/Drawer.tsx"
import { chats, placeChat } from "../state/ListedChats.ts"
import { tellError } from "../state/Loading.ts"
import { isAdmin } from "../state/people/Me.ts"
import { go } from "../state/Route.ts"
import { lacksProvider, prefer, startModel } from "../state/StartModel.ts"
import { dismissBad } from "../state/Toasts.ts"
import { Button } from "../ui/Button.tsx"
import { Empty } from "../ui/Empty.tsx"
import { lazy } from "../ui/Lazy.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { Announcer } from "./Announcer.tsx"
import { isNarrow, shownArtifact } from "./artifacts/ShownArtifact.ts"
import { ChatHead } from "./ChatHead.tsx"
import { Composer } from "./composer/Composer.tsx"
import { clear, type Draft, draftOf, giveBack } from "./composer/Draft.ts"
import { LimitLine } from "./composer/LimitLine.tsx"
import * as PageCommands from "./composer/PageCommands.ts"
import { AgentPicker, ModelPicker } from "./composer/Pickers.tsx"
import { ServersPicker } from "./composer/ServersPicker.tsx"
import { ChatId, OpenChat, Opened } from "./open/OpenChat.ts"
import { isJoined } from "./open/TurnModel.ts"
import { QueuedMessages } from "./QueuedMessages.tsx"
import type { TurnActions } from "./TurnView.tsx"
import { Beginnings, Welcome } from "./Welcome.tsx"
import "./chat.css"

const ConnectModel = lazy(() => import("../providers/ConnectModel.tsx").then(({ ConnectModel: one }) => one))

const ArtifactPanel = lazy(() => import("./artifacts/ArtifactPanel.tsx").then(({ ArtifactPanel: one }) => one), null)

/** A chat is read while this is loaded, and a person types a first message meanwhile. */
const loadTurns = () => import("./TurnList.tsx").then(({ TurnList: one }) => one)

const Loading = () => (
  <div class="scroll">
    <Empty title={ui.oneMoment}>
      <Spinner label={words.loading} />
    </Empty>
  </div>
)

const TurnList = lazy(loadTurns, <Loading />)

/** The chat of the address, opened; the last one is let go of. A chat that was just made is handed over. */
let made: OpenChat | null = null

const useOpenChat = (id: string | null): OpenChat | null => {
  const chat = useMemo(() => {
    if (id === null) return null
    const handed = made?.id === id ? made : new OpenChat(id)
    made = null
    return handed
  }, [id])
  // Before anything else happens: a chat that is deleted must not be asked for once more.
  useLayoutEffect(() => () => chat?.close(), [chat])
  // No part of a turn tells of messages that another tab queues or drops; the list of chats does.
  const waiting = chats.value?.find((each) => each.id === id)?.waiting ?? 0
  useEffect(() => {
    if (chat?.state.value === "open" && chat.waiting.value.length !== waiting) void chat.load()
  }, [chat, waiting])
  return chat
}

type Choice = Pick<ChatChange, "agent" | "model" | "write"> & { readonly off?: ChatOff }

const NOTHING_OFF: ChatOff = { servers: [], tools: [] }

/** Agent, model, what is off, and the write mode: what the person chose here, else what the chat has. */
const useChoice = (id: string | null) => {
  const chosen = useSignal<Choice>({})
  useEffect(() => {
    // A choice made before the first message goes on to the chat that it makes.
    if (made === null && id === null) chosen.value = {}
  }, [id])
  const known = chats.value?.find((chat) => chat.id === id)
  const { agent = known?.agent ?? null, model = known?.model ?? null, off = known?.off ?? NOTHING_OFF } = chosen.value
  const choose = (change: Choice) => {
    chosen.value = { ...chosen.value, ...change }
    if (id !== null) void changeChat(id, change).then(placeChat, tellError)
  }
  // Others may change it too, and what it says must be what holds.
  const write = known === undefined ? chosen.value.write ?? null : known.write
  return { agent, model, off, write, choose }
}

/** The id of a new chat with these choices. */
const begin = async ({ agent, model, off, write }: Required<Choice>): Promise<string> => {
  const { id } = await createChat({ agent, model })
  const change = {
    ...(off.servers.length + off.tools.length > 0 ? { off } : {}),
    ...(write === null ? {} : { write })
  }
  if (Object.keys(change).length > 0) placeChat(await changeChat(id, change))
  return id
}

/** Sends the draft; the first message makes the chat. A refused draft comes back into the field. */
const submit = async (draft: Draft, open: OpenChat | null, { agent, model, off, write }: Required<Choice>) => {
  const text = draft.text.value.trim()
  const files = draft.files.value
  const prompt = draft.prompt.value
  clear(draft)
  dismissBad()
  let shown = draft
  try {
    const chat = open ?? new OpenChat(await begin({ agent, model, off, write }))
    const sending = chat.send({
      text: text === "" ? words.onlyAttached : text,
      agent,
      model,
      ...(prompt.length === 0 ? {} : { prompt }),
      ...(files.length === 0 ? {} : { attachments: files.map(({ attachment }) => attachment) })
    })
    if (open === null) {
      made = chat
      shown = draftOf(chat.id)
      go("chat", [chat.id], "replace")
    }
    await sending
  } catch (error) {
    if (!giveBack(shown, { text, files, prompt }, error)) tellError(error)
  }
}

const Missing = ({ problem }: { readonly problem: Problem }) => (
  <Empty title={problem.status === 404 ? words.noSuchChat : words.notShown}>
    <p>{problem.status === 404 ? words.mayBeDeleted : problem.message}</p>
    {problem.hint === null || problem.status === 404 ? null : <p>{problem.hint}</p>}
    <Button
      icon="plus"
      onClick={() =>
        go("chat")}
    >
      {words.newChat}
    </Button>
  </Empty>
)

export const ChatPage = ({ id }: { readonly id: string | null }) => {
  const chat = useOpenChat(id)
  const { agent, choose, model, off, write } = useChoice(id)
  const draft = draftOf(id)
  const state = chat?.state.value ?? "open"
  const running = chat?.running.value ?? null
  const ofAgent = (agents.value.find(({ name }) => name === agent) ?? agents.value[0])?.model ?? null
  const chosen = model ?? (id === null && ofAgent === null ? startModel.value : null)
  const isCommandMode = (chosen ?? ofAgent) === null && models.value?.command.active === true

  const stop = async () => {
    if (chat === null || chat.running.value === null) return
    await chat.stop().catch(tellError)
  }

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere = isDrawerOpen.value || document.querySelector("dialog[open]") !== null
      if (event.key !== "Escape" || event.defaultPrevented || isElsewhere) return
      if (chat?.running.value === null) shownArtifact.value = null
      else void stop()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [chat])

  useEffect(() => void loadTurns(), [])

  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) document.getElementById("message")?.focus()
  }, [id])

  const actions = useMemo(() => ({
    onAgain: (turn, text) => {
      const { agent, model } = turn.about.value
      // The server keeps the attachments of a message unless the request names others.
      const message = { text: text ?? turn.about.value.text, agent, model: model === "command" ? null : model }
      chat?.send({ ...message, replaces: turn.number }).catch(tellError)
    },
    onFork: (turn) => {
      if (chat === null) return
      void forkChat(chat.id, turn.number).then((made) => {
        placeChat(made)
        go("chat", [made.id])
      }, tellError)
    }
  } satisfies Omit<TurnActions, "onVersion">), [chat])

  const chooseModel = (next: string | null) => {
    if (next !== null) prefer(next)
    choose({ model: next })
  }
  const last = chat?.turns.value.findLast(({ about, model }) =>
    about.value.replacedBy === null && !isJoined(model.peek())
  )
  const answered = chat?.turns.value.findLast(({ about, model }) =>
    about.value.replacedBy === null && model.peek().finish !== null && !isJoined(model.peek())
  )
  useLayoutEffect(() => {
    chatActions.value = {
      agent,
      model: chosen,
      onAgent: (next) => choose({ agent: next }),
      onModel: chooseModel,
      onStop: running === null ? null : () => void stop(),
      onFork: answered === undefined ? null : () => actions.onFork(answered)
    }
  })
  useLayoutEffect(() => () => {
    chatActions.value = null
  }, [])
  const isConnecting = isAdmin.value && lacksProvider.value && ofAgent === null
  const isBeside = chat !== null && shownArtifact.value?.chat === chat.id
  const isEmpty = chat === null || chat.turns.value.length + chat.pending.value.length === 0
  return (
    <>
      <div class="chat-room">
        <div class="chat-side" inert={isBeside && isNarrow.value}>
          <ChatHead id={id} chat={chat} write={write} onWrite={(next: ChatWrite | null) => choose({ write: next })} />
          {state instanceof Problem ?
            <Missing problem={state} /> :
            (
              <div class={isEmpty && state !== "loading" ? "conversation beginning" : "conversation"}>
                {state === "loading" && isEmpty
                  ? <Loading />
                  : isEmpty
                  ? isConnecting ? <ConnectModel rest={[]} /> : <Welcome isCommandMode={isCommandMode} />
                  : (
                    <ChatId value={chat.id}>
                      <Opened value={chat}>
                        <TurnList key={chat.id} chat={chat} actions={actions} />
                      </Opened>
                    </ChatId>
                  )}
                <div class="composer-place">
                  {chat === null ? null : <QueuedMessages chat={chat} draft={draft} />}
                  <LimitLine running={running !== null} />
                  <Composer
                    key={id ?? ""}
                    draft={draft}
                    isRunning={running !== null}
                    isCommandMode={isCommandMode}
                    onSend={() => void submit(draft, chat, { agent, model: chosen, off, write })}
                    onStop={() => void stop()}
                    onCommand={(text) =>
                      PageCommands.run(text, {
                        chat: id,
                        choose,
                        stop: () => void stop(),
                        retry: () => last === undefined || running !== null ? undefined : actions.onAgain(last, null)
                      })}
                    onEditLast={() => [...document.querySelectorAll<HTMLElement>(".edit-message")].at(-1)?.click()}
                  >
                    <AgentPicker value={agent} onChange={(next) => choose({ agent: next })} />
                    <ModelPicker value={chosen} agent={agent} onChange={chooseModel} />
                    <ServersPicker off={off} onChange={(next) => choose({ off: next })} />
                  </Composer>
                </div>
                {isEmpty && state !== "loading" && !isConnecting
                  ? (
                    <Beginnings
                      isCommandMode={isCommandMode}
                      onExample={(text) => {
                        draft.text.value = text
                        const field = document.getElementById("message")
                        field?.focus()
                        // A slash opens what it offers, as if it had been typed.
                        requestAnimationFrame(() => field?.click())
                      }}
                    />
                  )
                  : null}
              </div>
            )}
        </div>
        {isBeside ? <ArtifactPanel key={chat.id} chat={chat} /> : null}
      </div>
      {chat === null || state instanceof Problem ? null : <Announcer chat={chat} />}
    </>
  )
}
