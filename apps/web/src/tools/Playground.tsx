/** One tool: its arguments as a form or as JSON, running it, and what came of it. */
import { useComputed, useSignal } from "@preact/signals"
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { Json, Tool } from "../api/Types.ts"
import { toFirstWrong } from "../forms/FirstWrong.ts"
import { duration, short } from "../messages/Numbers.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { address } from "../state/Route.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { Copy } from "../ui/code/Copy.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { ProgressBar } from "../ui/ProgressBar.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { ArgumentsDraft } from "./ArgumentsDraft.ts"
import { ArgumentsEditor } from "./ArgumentsEditor.tsx"
import { commandLine } from "./CommandLine.ts"
import { RunHistory } from "./RunHistory.tsx"
import { outcomeWords, runs } from "./Runs.ts"
import { RunView } from "./RunView.tsx"
import { ToolBadges, ToolDescription } from "./ToolBadges.tsx"
import { useRunning } from "./ToolRun.ts"

export const Playground = ({ tool }: { readonly tool: Tool }) => {
  // A tool listed again is another object; typed arguments stay while the schema stays equal.
  const schema = JSON.stringify(tool.inputSchema)
  const args = useMemo(() => new ArgumentsDraft(tool.inputSchema), [schema])
  const running = useRunning(tool.name, args)
  const timeout = useSignal("")
  const isAsking = useSignal<Json | null>(null)
  const shown = useSignal<number | null>(null)
  const all = runs.value.get(tool.name) ?? []
  const run = all.find(({ id }) => id === shown.value) ?? all[0]
  const form = useRef<HTMLFormElement>(null)
  const result = useRef<HTMLDivElement>(null)
  const said = running.since.value !== null
    ? texts.running
    : run === undefined
    ? ""
    : `Result: ${outcomeWords(run).words}`
  const line = useComputed(() => commandLine(tool.name, args.lenient()))

  const last = all[0]?.id
  const began = useRef(last)
  useEffect(() => {
    shown.value = null
    // The result may be below the end of a small screen.
    if (last !== began.current) result.current?.scrollIntoView({ block: "nearest" })
  }, [last])

  const start = (value: Json) => {
    isAsking.value = null
    void running.start(value, seconds(timeout.value))
  }
  const press = () => {
    const value = args.checked()
    if (value === undefined) return toFirstWrong(form.current)
    if (tool.needsApproval) isAsking.value = value
    else start(value)
  }

  return (
    <article class="playground" aria-label={tool.name}>
      <ToolHead tool={tool} />
      <form
        class="stack"
        noValidate
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (running.since.value === null) press()
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || running.since.value !== null) return
          event.preventDefault()
          press()
        }}
      >
        <ArgumentsEditor args={args} />
        <div class="run-bar">
          {running.since.value === null
            ? <Button kind="primary" type="submit" icon="play">{texts.run}</Button>
            : (
              <>
                <Button kind="danger" icon="stop" onClick={running.cancel}>{texts.cancel}</Button>
                <Elapsed since={running.since.value} />
              </>
            )}
          <label class="timeout">
            {texts.timeLimit}
            <input
              class="input"
              inputMode="decimal"
              placeholder={texts.asConfigured}
              value={timeout.value}
              onInput={(event) => timeout.value = event.currentTarget.value}
            />
            {texts.seconds}
          </label>
          <span class="run-copy">
            <Copy label={texts.copyCommand} text={() => line.value} />
            <code class="command-line" title={line.value}>{line.value}</code>
          </span>
        </div>
      </form>
      {running.since.value === null || running.progress.value === null
        ? null
        : <ProgressBar name={tool.name} {...running.progress.value} />}
      <p class="visually-hidden" role="status">{said}</p>
      <div ref={result}>{run === undefined ? null : <RunView key={run.id} run={run} />}</div>
      <RunHistory
        all={all}
        shown={run?.id ?? null}
        onShow={(id) => shown.value = id}
        onUse={(given) => args.take(given)}
      />
      {isAsking.value === null ? null : (
        <Dialog title={texts.runTitle(tool.tool)} onClose={() => isAsking.value = null}>
          <p>
            {texts.configurationOf} <strong>{tool.server}</strong> {texts.asksFirstAbout}
          </p>
          <CodeBlock code={JSON.stringify(isAsking.value, null, 2)} language="json" label={texts.arguments} />
          <footer>
            <Button onClick={() => isAsking.value = null}>{texts.cancel}</Button>
            <Button
              kind="primary"
              icon="play"
              autofocus
              onClick={() => isAsking.value !== null && start(isAsking.value)}
            >
              {texts.runIt}
            </Button>
          </footer>
        </Dialog>
      )}
    </article>
  )
}

/** A limit that cannot be read is none. */
const seconds = (typed: string): number | undefined => {
  const value = Number(typed)
  return typed.trim() !== "" && value > 0 && Number.isFinite(value) ? Math.ceil(value * 1000) : undefined
}

const ToolHead = ({ tool }: { readonly tool: Tool }) => (
  <header class="playground-head">
    <h2>
      <code>{tool.name}</code>
    </h2>
    <div class="row">
      <a href={address("servers", tool.server)}>{tool.server}</a>
      <ToolBadges tool={tool} />
      <Badge>{texts.tokens(short(tool.tokens))}</Badge>
    </div>
    {tool.title === null ? null : (
      <p class="words">
        <strong>{tool.title}</strong>
      </p>
    )}
    <ToolDescription tool={tool} />
  </header>
)

const Elapsed = ({ since }: { readonly since: number }) => {
  const now = useSignal(performance.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = performance.now()
    }, 100)
    return () => clearInterval(timer)
  }, [])
  return (
    <span class="elapsed">
      <Spinner label={texts.isRunning} /> {duration(Math.max(0, now.value - since))}
    </span>
  )
}
