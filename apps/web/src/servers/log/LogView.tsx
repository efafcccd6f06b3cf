/** The log of a server: what became of it, what it reports and what it wrote to standard error, followed while somebody looks. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { type Refusal, words } from "../../api/Client.ts"
import type { LogLine, ServerStatus } from "../../api/Types.ts"
import { clock } from "../../messages/Numbers.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { placeServer } from "../../state/Live.ts"
import { Button } from "../../ui/Button.tsx"
import { Copy } from "../../ui/code/Copy.tsx"
import { SearchInput } from "../../ui/forms/SearchInput.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { getLog, setLogLevel } from "../ServersClient.ts"
import { LEVELS, toneOf } from "./LogLevels.ts"

/** How many lines the page keeps; the server keeps 64 KB. */
const KEPT = 2000
const EVERY_MILLIS = 1500
/** How many of them are drawn: a server that writes without end would have the page do nothing else. */
const DRAWN = 300

type Kind = "all" | LogLine["kind"]

const KINDS: ReadonlyArray<readonly [Kind, string]> = [
  ["all", texts.everything],
  ["event", texts.whatBecameOfIt],
  ["message", texts.whatItReports],
  ["stderr", texts.standardError]
]

/** Asks for new lines again and again while it is shown and not paused. */
const useLog = (name: string, isPaused: boolean) => {
  const lines = useSignal<ReadonlyArray<LogLine> | null>(null)
  const problem = useSignal<Refusal | null>(null)
  const missed = useSignal(0)
  useEffect(() => {
    if (isPaused) return undefined
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = () => {
      const last = lines.value?.at(-1)?.seq ?? 0
      getLog(name, last, abort.signal).then(({ lines: more }) => {
        // The server keeps the last lines only: what came and went between two answers is counted.
        if (last > 0) missed.value += Math.max(0, (more[0]?.seq ?? last + 1) - last - 1)
        if (more.length > 0 || lines.value === null) lines.value = [...lines.value ?? [], ...more].slice(-KEPT)
        problem.value = null
      }, (error) => {
        if (!abort.signal.aborted) problem.value = words(error)
      }).finally(() => {
        if (!abort.signal.aborted) timer = setTimeout(ask, EVERY_MILLIS)
      })
    }
    ask()
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [name, isPaused])
  return { lines: lines.value, missed: missed.value, problem: problem.value }
}

export const LogView = ({ status }: { readonly status: ServerStatus }) => {
  const { name } = status
  const isPaused = useSignal(false)
  const wanted = useSignal("")
  const kind = useSignal<Kind>("all")
  const drawn = useSignal(DRAWN)
  const { lines, missed, problem } = useLog(name, isPaused.value)
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const text = wanted.value.toLowerCase()
  const shown = (lines ?? []).filter((line) =>
    (kind.value === "all" || line.kind === kind.value) && searched(line).includes(text)
  )

  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [shown.at(-1)])

  return (
    <section class="server-log" aria-label={texts.logOf(name)}>
      <div class="log-bar">
        <SearchInput
          label={texts.filterTheLog}
          placeholder={texts.filter}
          value={wanted.value}
          onValue={(value) => wanted.value = value}
        />
        <select
          class="input"
          aria-label={texts.whichLines}
          value={kind.value}
          onChange={(event) => kind.value = KINDS.find(([id]) => id === event.currentTarget.value)?.[0] ?? "all"}
        >
          {KINDS.map(([id, label]) => <option key={id} value={id}>{label}</option>)}
        </select>
        <Button
          isSmall
          icon={isPaused.value ? "play" : "stop"}
          aria-pressed={isPaused.value}
          onClick={() => isPaused.value = !isPaused.value}
        >
          {isPaused.value ? texts.follow : texts.pause}
        </Button>
        <Copy
          label={texts.copyTheLog}
          text={() => shown.map(asText).join("\n")}
        />
        {status.capabilities?.logging === true ? <LevelChoice status={status} /> : null}
      </div>
      {problem === null ? null : <Notice tone="bad" hint={problem.hint}>{problem.message}</Notice>}
      <div
        class="log-lines"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={texts.lines}
        onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        {lines === null
          ? <p class="muted">{texts.reading}</p>
          : shown.length === 0
          ? <p class="muted">{lines.length === 0 ? texts.nothingWritten : texts.noSuchLine}</p>
          : (
            <>
              {shown.length > drawn.value
                ? <Button isSmall onClick={() => drawn.value += DRAWN}>{texts.showEarlierLines}</Button>
                : null}
              {shown.slice(-drawn.value).map((line) => <Line key={line.seq} line={line} />)}
            </>
          )}
      </div>
      <p class="muted log-count">
        {texts.lineCount(shown.length)}
        {missed > 0 ? texts.missed(missed) : ""}
        {isPaused.value ? texts.pausedNow : texts.followingNow}
      </p>
    </section>
  )
}

/** The mark before the text: for a message how bad it is, as the protocol says it, else where it came from. */
const sortOf = ({ kind, level }: LogLine): string => level ?? texts.logKinds[kind]

const searched = (line: LogLine): string => `${sortOf(line)} ${line.logger ?? ""} ${line.text}`.toLowerCase()

const asText = (line: LogLine): string =>
  [line.time, line.kind, ...[line.level, line.logger].filter((part) => part !== null), line.text].join(" ")

const Line = ({ line }: { readonly line: LogLine }) => (
  <div class={`log-line from-${line.kind} ${toneOf(line.level)}`}>
    <time dateTime={line.time}>{clock(line.time)}</time>
    <span class="log-kind">{sortOf(line)}</span>
    <span class="log-text">
      {line.logger === null ? null : <span class="muted">{line.logger}:{" "}</span>}
      {line.text}
    </span>
  </div>
)

/** The choice of the configured level, in place of a level. */
const CONFIGURED = ""

const LevelChoice = ({ status: { logLevel, name } }: { readonly status: ServerStatus }) => {
  const { refused, run } = useAttempt()
  /** On its way to the server. */
  const wanted = useSignal<string | null>(null)
  const choose = async (level: string | null) => {
    wanted.value = level ?? CONFIGURED
    await run(() => setLogLevel(name, level).then(placeServer))
    wanted.value = null
  }
  return (
    <>
      <label class="level-choice">
        {texts.itReportsFrom}
        <select
          class="input"
          value={wanted.value ?? logLevel ?? CONFIGURED}
          onChange={({ currentTarget: { value } }) => void choose(value === CONFIGURED ? null : value)}
        >
          {LEVELS.map((level) => <option key={level} value={level}>{level}</option>)}
          <option value={CONFIGURED}>{texts.asConfigured}</option>
        </select>
      </label>
      <Refused why={refused.value} />
    </>
  )
}
