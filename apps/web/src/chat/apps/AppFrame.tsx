/** An app that runs: its frame, and its conversation with this page. */
import { type Signal, useSignal, useSignalEffect } from "@preact/signals"
import { useContext, useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { app as words } from "../../messages/chat/AppMessages.ts"
import { bytes } from "../../messages/Numbers.ts"
import { Button } from "../../ui/Button.tsx"
import { saveBase64, saveText } from "../../ui/files/Saving.ts"
import type { Outcome } from "../calls/CallWords.ts"
import { ChatId, Opened } from "../open/OpenChat.ts"
import type { CallBlock } from "../open/TurnModel.ts"
import { AppBridge, PARTIAL } from "./AppBridge.ts"
import { textOf, update } from "./AppContext.ts"
import { type AppFile, filesOf } from "./AppFiles.ts"
import { type AppPlace, callForApp, type OpenDocument, readForApp } from "./AppsClient.ts"
import { makeAsking, pageOf, type Wish, WishDialog } from "./AppWish.tsx"
import * as HostContext from "./HostContext.ts"
import { floating, heightOf, keepHeight } from "./LiveApps.ts"

interface AppFrameProps {
  readonly slot: string
  readonly about: OpenDocument
  /** As it stands now. */
  readonly call: Signal<{ readonly block: CallBlock; readonly outcome: Outcome }>
  /** False when it has to make room. */
  readonly isLive: boolean
  /** The port of the apps was not reached. */
  readonly onUnreached: () => void
  /** The app wants to go. */
  readonly onClose: () => void
  /** Whether it is still to be shown. */
  readonly onHold: (isHeld: boolean) => void
}

const LEAST_HEIGHT = 40
/** How long the page around an app may take to say that it is there: at all, and once the browser has fetched it. */
const PATIENCE = 20_000
const GRACE = 1000
/** A longer message is none that a person reads before they send it. */
const LONGEST = 20_000

export const AppFrame = ({ about, call, isLive, onClose, onHold, onUnreached, slot }: AppFrameProps) => {
  const box = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLIFrameElement>(null)
  const bridge = useRef<AppBridge | null>(null)
  const height = useSignal(heightOf(slot))
  const mode = useSignal<HostContext.DisplayMode>("inline")
  const wish = useSignal<Wish | null>(null)
  const chat = useContext(Opened)
  const place: AppPlace = { chat: useContext(ChatId), call: call.value.block.call.id }
  const { origin, reach, server, tool, url } = about
  const title = tool?.title ?? tool?.name ?? call.value.block.call.name

  const enter = (next: HostContext.DisplayMode) => {
    const { current } = box
    if (current === null || next === mode.value) return
    // On top of the page, without being moved in it: a frame that is moved begins anew.
    if (next === "inline") current.removeAttribute("popover")
    else if (mode.value === "inline") {
      current.popover = "manual"
      current.showPopover()
    }
    mode.value = next
    if (next === "pip") floating.value = slot
    requestAnimationFrame(() =>
      bridge.current?.tell("ui/notifications/host-context-changed", HostContext.room(next, current))
    )
  }

  // Before the frame can say anything.
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null || box.current === null) return undefined
    const around = box.current
    const asks = makeAsking(wish)
    const talk = new AppBridge({
      frame: current,
      origin,
      answers: {
        initialize: () => ({
          hostInfo: { name: "boocode", version: "1" },
          hostCapabilities: {
            openLinks: {},
            downloadFile: {},
            serverTools: {},
            serverResources: {},
            logging: {},
            message: { text: {} },
            updateModelContext: { text: {}, structuredContent: {} },
            sandbox: {
              permissions: reach.clipboard ? { clipboardWrite: {} } : {},
              csp: { connectDomains: reach.connect, resourceDomains: reach.load, frameDomains: reach.frame }
            }
          },
          hostContext: {
            ...HostContext.fixed(),
            ...HostContext.styles(),
            ...HostContext.room(mode.value, around),
            ...(tool === null ? {} : {
              toolInfo: {
                id: place.call,
                tool: {
                  name: tool.name,
                  inputSchema: tool.inputSchema,
                  ...(tool.title === null ? {} : { title: tool.title }),
                  ...(tool.description === null ? {} : { description: tool.description })
                }
              }
            })
          }
        }),
        request: (method, params) => {
          switch (method) {
            case "tools/call":
              return callForApp(place, String(params["name"]), params["arguments"])
            case "resources/read":
              return readForApp(place, String(params["uri"]))
            case "ui/open-link": {
              const page = pageOf(params["url"])
              return page === null ? Promise.resolve({ isError: true }) : asks("link", page).then(done)
            }
            case "ui/message": {
              const text = textOf(params["content"]).trim()
              const isFit = chat !== null && text !== "" && text.length <= LONGEST
              return !isFit ? Promise.resolve({ isError: true }) : asks("message", text).then(async (isGranted) => {
                if (isGranted) await chat.send({ text, agent: null, model: null })
                return done(isGranted)
              })
            }
            case "ui/download-file": {
              const files = filesOf(params["contents"])
              if (files === null) return Promise.resolve({ isError: true })
              const list = files.map((file) => `${file.name}, ${bytes(file.bytes)}`).join("\n")
              return asks("files", list).then((isGranted) => {
                if (!isGranted) return done(false)
                return done(files.map(saveFile).every((isSaved) => isSaved))
              })
            }
            case "ui/update-model-context":
              update(place.chat, slot, server, params)
              return Promise.resolve({})
            case "ui/request-display-mode":
              if (HostContext.isMode(params["mode"])) enter(params["mode"])
              return Promise.resolve({ mode: mode.value })
            default:
              return null
          }
        },
        told: (method, params) => {
          const wanted = Number(params["height"])
          if (method === "ui/notifications/size-changed" && Number.isFinite(wanted) && mode.value === "inline") {
            height.value = Math.round(Math.min(Math.max(wanted, LEAST_HEIGHT), HostContext.MOST_HEIGHT))
            keepHeight(slot, height.value)
          }
          if (method === "ui/notifications/request-teardown") onClose()
        }
      }
    })
    bridge.current = talk
    const unwatch = HostContext.onTheme(() => talk.tell("ui/notifications/host-context-changed", HostContext.styles()))
    // A browser says of a page that it could not fetch, too, that it is there.
    const look = (millis: number) =>
      setTimeout(() => {
        if (origin !== null && !talk.isReached) onUnreached()
      }, millis)
    const late = [look(PATIENCE)]
    const onLoad = () => void late.push(look(GRACE))
    current.addEventListener("load", onLoad)
    onHold(true)
    return () => {
      current.removeEventListener("load", onLoad)
      for (const timer of late) clearTimeout(timer)
      unwatch()
      talk.close()
      bridge.current = null
    }
  }, [url])
  useEffect(() => {
    if (isLive) return
    void Promise.resolve(bridge.current?.leave()).then(() => onHold(false))
  }, [isLive])

  const told = useRef({ input: false, end: false })
  useSignalEffect(() => {
    const { block, outcome } = call.value
    if (outcome === "writing") {
      return bridge.current?.tell(PARTIAL, { arguments: Object(block.call.args) })
    }
    const isAsked = block.approval !== null && block.answer === null && block.result === null
    if (!told.current.input && !isAsked) {
      told.current.input = true
      bridge.current?.tell("ui/notifications/tool-input", { arguments: block.answer?.args ?? Object(block.call.args) })
    }
    if (told.current.end || outcome === "running" || outcome === "waiting") return
    told.current.end = true
    const { result } = block
    if (result === null || outcome === "denied" || outcome === "stopped") {
      bridge.current?.tell("ui/notifications/tool-cancelled", { reason: outcome })
    } else {
      bridge.current?.tell("ui/notifications/tool-result", {
        content: result.content,
        isError: result.isError,
        ...(result.structured === undefined ? {} : { structuredContent: result.structured }),
        ...(result.meta === undefined ? {} : { _meta: result.meta })
      })
    }
  })

  // One app at a time floats.
  useEffect(() => {
    if (mode.value === "pip" && floating.value !== slot) enter("inline")
  }, [floating.value])

  const isFull = mode.value === "fullscreen"
  const isFloating = mode.value === "pip"
  return (
    <div
      ref={box}
      class={isFull
        ? "app-box full"
        : isFloating
        ? "app-box floating"
        : about.prefersBorder === false
        ? "app-box bare"
        : "app-box"}
      onKeyDown={({ key }) => key === "Escape" && (isFull || isFloating) && enter("inline")}
    >
      <div class="app-head">
        <span class="app-name">{title}</span>
        <span class="app-server">{server}</span>
        <Button
          kind="plain"
          isSmall
          icon={isFloating ? "down" : "float"}
          label={isFloating ? words.unfloat : words.float}
          onClick={() => enter(isFloating ? "inline" : "pip")}
        />
        <Button
          kind="plain"
          isSmall
          icon={isFull ? "close" : "open"}
          label={isFull ? words.inline : words.full}
          onClick={() => enter(isFull ? "inline" : "fullscreen")}
        />
      </div>
      <iframe
        ref={frame}
        title={words.label(title, server)}
        src={url}
        sandbox={origin === null ? "allow-scripts allow-forms" : "allow-scripts allow-forms allow-same-origin"}
        allow={about.allow}
        {...(isFull || isFloating ? {} : { height: height.value })}
      />
      {wish.value === null ? null : <WishDialog server={server} wish={wish.value} />}
    </div>
  )
}

const saveFile = ({ content, name }: AppFile): boolean => {
  if ("base64" in content) return saveBase64(content.base64, name)
  saveText(content.text, name)
  return true
}

const done = (isGranted: boolean) => isGranted ? {} : { isError: true }
