/** Where a message is written: text with completion, files and resources, and who answers. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { usePrompt } from "../../api/Api.ts"
import { words as wordsOf } from "../../api/Client.ts"
import type { FilledPrompt, JsonObject, Prompt, Tool } from "../../api/Types.ts"
import { composer as words } from "../../messages/ChatMessages.ts"
import { toolsByName } from "../../state/Catalog.ts"
import { tellError } from "../../state/Loading.ts"
import { Button } from "../../ui/Button.tsx"
import { lazy } from "../../ui/Lazy.tsx"
import { optionId, OptionList } from "../../ui/lists/OptionList.tsx"
import type { Choice, Trigger } from "./Completion.ts"
import { attach, type Draft, refuse } from "./Draft.ts"
import { AttachButton, DraftFiles } from "./DraftFiles.tsx"
import { filesOf, LONG_PASTE, obstacle, pastedFile, read } from "./FileUpload.ts"
import { promptOf } from "./PageCommands.ts"
import { argumentsOf, callOf, isIncomplete, messageOf, takesArguments } from "./TypedToolCall.ts"
import { UnknownCommand } from "./UnknownCommand.tsx"
import { useCompletion } from "./useCompletion.ts"

interface ComposerProps {
  readonly draft: Draft
  readonly isRunning: boolean
  readonly isCommandMode: boolean
  /** The pickers of agent and model. */
  readonly children: ComponentChildren
  readonly onSend: () => void
  readonly onStop: () => void
  /** A command of the page, `/name argument`. Gives false when it is none. */
  readonly onCommand: (text: string) => boolean
  /** Opens the last message for editing. */
  readonly onEditLast: () => void
}

const filledPrompt = async ({ name, server }: Prompt, args: string) => usePrompt(server, name, JSON.parse(args))

/** Fingers have no Shift: Return makes a line there, and the button sends. */
const isTouch = () => matchMedia("(pointer: coarse)").matches

/** Few browsers do: the others load nothing of it. */
const LISTENS = "SpeechRecognition" in globalThis || "webkitSpeechRecognition" in globalThis

const LIST = "offers"

const SpeakButton = lazy(
  () => import("../voice/SpeakButton.tsx").then(({ SpeakButton: one }) => one),
  <Button kind="plain" isSmall icon="microphone" disabled aria-hidden="true" />
)
const PromptForm = lazy(() => import("./PromptForm.tsx").then(({ PromptForm: one }) => one), null)
const ToolForm = lazy(() => import("./ToolForm.tsx").then(({ ToolForm: one }) => one), null)

export const Composer = (props: ComposerProps) => {
  const { children, draft, isCommandMode, isRunning, onCommand, onEditLast, onSend, onStop } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const asking = useSignal<Prompt | null>(null)
  const calling = useSignal<{ readonly tool: Tool; readonly given: JsonObject | null } | null>(null)
  const isOver = useSignal(false)

  const write = (text: string, caret = text.length) => {
    draft.text.value = text
    const { current } = field
    if (current === null) return
    // At once, not when it is drawn next: somebody who types on must not find the caret elsewhere.
    current.value = text
    current.focus()
    current.setSelectionRange(caret, caret)
  }
  const fill = ({ said, text }: FilledPrompt) => {
    draft.prompt.value = said
    write(text)
  }
  /** Puts words in the place of what was typed after the sign. */
  const replace = ({ from, word }: Trigger, words: string) => {
    const text = draft.text.value
    write(text.slice(0, from) + words + text.slice(from + 1 + word.length), from + words.length)
  }
  const begin = (prompt: Prompt) => {
    if (prompt.arguments.length > 0) asking.value = prompt
    else void usePrompt(prompt.server, prompt.name, {}).then(fill, tellError)
  }
  const choose = (choice: Choice, trigger: Trigger) => {
    switch (choice.kind) {
      case "command":
        if (choice.command.argument?.required === true || !onCommand(`/${choice.command.name}`)) {
          return replace(trigger, `/${choice.command.name} `)
        }
        return replace(trigger, "")
      case "prompt":
        replace(trigger, "")
        return begin(choice.prompt)
      case "tool": {
        replace(trigger, `/${choice.tool.name} `)
        const typed = callOf(draft.text.value, toolsByName.value)
        if (typed !== null && takesArguments(typed.tool)) {
          calling.value = { tool: typed.tool, given: argumentsOf(typed) }
        }
        return
      }
      case "agent":
        return replace(trigger, `@${choice.agent.name} `)
      case "resource": {
        const { name, server, title, uri } = choice.resource
        replace(trigger, "")
        return attach(draft, {
          name: title ?? name,
          about: server,
          bytes: 0,
          preview: null,
          attachment: { kind: "resource", server, uri }
        })
      }
    }
  }
  const completing = useCompletion(choose)
  const isOffering = completing.trigger !== null && completing.offers.length > 0

  const take = (files: ReadonlyArray<File>) => {
    draft.unattached.value = []
    const taken: Array<File> = []
    for (const file of files) {
      const why = obstacle(draft, taken, file)
      if (why === null) {
        taken.push(file)
        void read(file).then((one) => attach(draft, one), (error) => refuse(draft, wordsOf(error).message))
      } else refuse(draft, why)
    }
  }
  /** True when what is pasted becomes attachments. A long text does, but for the arguments of a command. */
  const paste = (transfer: DataTransfer | null): boolean => {
    const files = filesOf(transfer)
    if (files.length > 0) take(files)
    const text = transfer?.getData("text/plain") ?? ""
    if (files.length > 0 || text.length <= LONG_PASTE || /^\s*\//.test(draft.text.value || text)) {
      return files.length > 0
    }
    void read(pastedFile(draft, text)).then((one) => attach(draft, { ...one, pasted: text }), tellError)
    return true
  }
  const insert = (text: string) => {
    const before = draft.text.value
    const caret = field.current?.selectionStart ?? before.length
    write(before.slice(0, caret) + text + before.slice(caret), caret + text.length)
  }
  const look = () => {
    const { current } = field
    if (current !== null) completing.look(current.value, current.selectionStart)
  }
  /** `/server:prompt {json}`, typed out: the server's words take its place, or its form opens. */
  const submitPrompt = (text: string): boolean => {
    const typed = promptOf(text)
    const prompt = completing.prompts.find(({ name, server }) => server === typed?.server && name === typed.prompt)
    if (prompt === undefined || typed === null) return false
    draft.text.value = ""
    if (typed.args === "") begin(prompt)
    else {void filledPrompt(prompt, typed.args).then(fill, (error) => {
        write(text)
        tellError(error)
      })}
    return true
  }
  const submit = () => {
    const text = draft.text.value.trim()
    completing.close()
    if (text === "" && draft.files.value.length === 0) return
    const typed = callOf(text, toolsByName.value)
    if (typed !== null && isIncomplete(typed)) calling.value = { tool: typed.tool, given: null }
    else if (text.startsWith("/") && onCommand(text)) draft.text.value = ""
    else if (!submitPrompt(text)) onSend()
  }
  const run = (args: JsonObject) => {
    if (calling.value !== null) draft.text.value = messageOf(calling.value.tool, args)
    calling.value = null
    onSend()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || completing.onKey(event)) return
    if (event.key === "Enter" && !event.shiftKey && !isTouch()) {
      event.preventDefault()
      submit()
    } else if (event.key === "ArrowUp" && draft.text.value === "") {
      event.preventDefault()
      onEditLast()
    }
  }

  const text = draft.text.value
  useEffect(() => {
    const { current } = field
    // Browsers that size a field by its content do so by themselves.
    if (current === null || CSS.supports("field-sizing", "content")) return
    current.style.height = "auto"
    current.style.height = `${Math.min(current.scrollHeight, 320)}px`
  }, [text])

  return (
    <>
      <form
        class={isOver.value ? "composer over" : "composer"}
        autocomplete="off"
        aria-label={words.label}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
        onDragOver={(event) => {
          if (event.dataTransfer?.types.includes("Files") !== true) return
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => isOver.value = false}
        onDrop={(event) => {
          isOver.value = false
          event.preventDefault()
          take([...event.dataTransfer?.files ?? []])
        }}
      >
        {completing.trigger === null || !isOffering ? null : (
          <div class="popover offers">
            <OptionList
              id={LIST}
              label={words.suggestions}
              options={completing.offers}
              marked={completing.marked}
              onMark={completing.mark}
              onChoose={completing.choose}
            />
          </div>
        )}
        <UnknownCommand draft={draft} onText={(text) => write(text)} />
        <DraftFiles draft={draft} onText={insert} />
        <label class="visually-hidden" for="message">{words.field}</label>
        <textarea
          dir="auto"
          ref={field}
          id="message"
          rows={1}
          placeholder={isCommandMode ? words.commandPlaceholder : words.placeholder}
          aria-describedby="keys"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(isOffering ? { "aria-controls": LIST, "aria-activedescendant": optionId(LIST, completing.marked) } : {})}
          enterkeyhint={isTouch() ? "enter" : "send"}
          value={text}
          onInput={(event) => {
            draft.text.value = event.currentTarget.value
            draft.unknown.value = null
            look()
          }}
          onClick={look}
          onKeyUp={(event) => {
            if (event.key === "ArrowLeft" || event.key === "ArrowRight") look()
          }}
          onBlur={completing.close}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (paste(event.clipboardData)) event.preventDefault()
          }}
        />
        <div class="composer-row">
          <AttachButton onFiles={take} />
          {LISTENS ? <SpeakButton draft={draft.text} /> : null}
          {children}
          <span class="grow" />
          {isRunning
            ? (
              <Button class="stop" isSmall onClick={onStop}>
                {words.stop} <kbd aria-hidden="true">{words.stopKey}</kbd>
              </Button>
            )
            : null}
          <Button
            class="send"
            kind="primary"
            isSmall
            icon="send"
            type="submit"
            label={isRunning ? words.queue : words.send}
            disabled={text.trim() === "" && draft.files.value.length === 0}
          />
        </div>
        <p id="keys" class="visually-hidden">{isTouch() ? words.touchKeys : words.keys}</p>
      </form>
      {/* Not within the form: what is submitted there is no message. */}
      {asking.value === null ? null : (
        <PromptForm
          prompt={asking.value}
          onClose={() => asking.value = null}
          onFilled={(filled) => {
            asking.value = null
            fill(filled)
          }}
        />
      )}
      {calling.value === null ? null : (
        <ToolForm
          {...calling.value}
          onClose={() => calling.value = null}
          onRun={run}
        />
      )}
    </>
  )
}
