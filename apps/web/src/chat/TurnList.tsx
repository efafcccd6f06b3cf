/** The turns of the open chat, in order. It stays at the end while something streams, unless the person scrolled up. */
import { useSignal } from "@preact/signals"
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { chat as words } from "../messages/ChatMessages.ts"
import { Button } from "../ui/Button.tsx"
import { openArtifact } from "./artifacts/OpenArtifact.ts"
import { PlaceBeside } from "./artifacts/PlaceBeside.ts"
import type { OpenChat } from "./open/OpenChat.ts"
import { arrange, leadingTo } from "./open/Versions.ts"
import { type TurnActions, TurnView } from "./TurnView.tsx"
import { unmark, useWantedPlace } from "./WantedPlace.ts"

const NEAR = 96

/** Scrolls to the end as the content grows, while the end was in sight. */
const useEnd = (chat: string) => {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isAtEnd = useSignal(true)
  const top = useRef(0)
  const toEnd = () => {
    isAtEnd.value = true
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
    top.current = scroller.current?.scrollTop ?? 0
  }
  const onScroll = () => {
    const { current } = scroller
    if (current === null) return
    const isNear = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR
    // New parts also move the end away from the view, but only a person scrolls up.
    if (isNear || current.scrollTop < top.current) isAtEnd.value = isNear
    top.current = current.scrollTop
  }
  useLayoutEffect(toEnd, [chat])
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isAtEnd.value) toEnd()
      else onScroll()
    })
    // The room for it changes too, as the composer grows or a phone turns.
    for (const { current } of [content, scroller]) if (current !== null) observer.observe(current)
    return () => observer.disconnect()
  }, [chat])
  return { scroller, content, isAtEnd, toEnd, onScroll }
}

/** So many turns are more than a screen, and so many more take no browser long. */
const [FIRST, SLICE] = [6, 3]

/**
 * How many of the last turns are drawn: those in sight at once, the ones before them a few at a time, so that the page answers
 * meanwhile.
 */
const useDrawn = (all: number): number => {
  const [many, setMany] = useState(FIRST)
  useEffect(() => {
    if (many >= all) return undefined
    const next = setTimeout(() => setMany(many + SLICE))
    return () => clearTimeout(next)
  }, [many, all])
  return many
}

interface ConversationProps {
  readonly chat: OpenChat
  readonly actions: Omit<TurnActions, "onVersion">
}

export const TurnList = ({ actions, chat }: ConversationProps) => {
  const chosen = useSignal<ReadonlyMap<number, number>>(new Map())
  const { content, isAtEnd, onScroll, scroller, toEnd } = useEnd(chat.id)
  const all: TurnActions = useMemo(() => ({
    ...actions,
    onVersion: (newest, turn) => {
      chosen.value = new Map(chosen.value).set(newest, turn)
    }
  }), [actions])
  const turns = new Map(chat.turns.value.map((turn) => [turn.number, turn]))
  const openBeside = useCallback((text: string) => openArtifact(chat, text), [chat])
  const versions = [...turns.values()].map(({ about, number }) => ({
    turn: number,
    replacedBy: about.value.replacedBy
  }))
  const shown = arrange(versions, chosen.value)
  const drawn = useDrawn(shown.length)
  useWantedPlace(chat.id, (turn) => chosen.value = leadingTo(versions, turn))
  const pending = chat.pending.value
  // Nothing can be sent in the place of another then. A class alone, so that a long chat is not drawn anew.
  const isBusy = chat.running.value !== null || pending.length > 0
  const isEarlier = shown.at(-1)?.isEarlier === true
  const replaced = Math.min(...pending.map(({ replaces }) => replaces ?? Infinity))
  useEffect(() => {
    if (pending.length === 0) return
    chosen.value = new Map()
    unmark()
    toEnd()
  }, [pending.length])
  return (
    <div class="scroll" ref={scroller} onScroll={onScroll} tabIndex={-1}>
      <div class={isBusy ? "log busy" : "log"} ref={content} role="log" aria-live="off" aria-label={words.conversation}>
        <PlaceBeside value={openBeside}>
          {shown.slice(-drawn).filter(({ turn }) => turn < replaced || isEarlier).map((each) => {
            const turn = turns.get(each.turn)
            return turn === undefined
              ? null
              : <TurnView key={each.turn} turn={turn} shown={each} actions={all} />
          })}
        </PlaceBeside>
        {isEarlier
          ? (
            <p class="earlier-note">
              {words.isEarlier} <Button isSmall onClick={() => chosen.value = new Map()}>{words.backToLatest}</Button>
            </p>
          )
          : pending.map(({ key, text }) => (
            <article key={key} class="turn pending" aria-busy="true" aria-label={words.onItsWay}>
              <div class="asked">
                <p class="bubble">{text}</p>
              </div>
            </article>
          ))}
      </div>
      {isAtEnd.value
        ? null
        : (
          <div class="to-end">
            <Button isSmall icon="down" label={words.toLatest} onClick={toEnd} />
          </div>
        )}
    </div>
  )
}
