/** Before a server or an agent is renamed: what names it, and whether that gets the new name too. */
import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { getPermissions } from "../api/Api.ts"
import type { ListedRule } from "../api/Types.ts"
import { renaming as words } from "../messages/AgentMessages.ts"
import { agents } from "../state/Catalog.ts"
import { chats } from "../state/ListedChats.ts"
import { serverList } from "../state/Live.ts"
import { getJson, tellError } from "../state/Loading.ts"
import { address } from "../state/Route.ts"
import { carryOver, changeable, type NameUses, type Renaming, usesOf } from "./NameUses.ts"
import "./agents.css"

export interface Carrying {
  readonly uses: NameUses
  readonly isWanted: Signal<boolean>
  /** To be called when the new name holds. A failure is a message of the page. */
  readonly carry: () => Promise<void>
}

/** Null while the name stays, and where nothing else has it. */
export const useCarrying = (of: Renaming["of"], before: string, typed: string): Carrying | null => {
  const after = typed.trim()
  const isRenamed = before !== "" && after !== "" && after !== before
  const rules = useSignal<ReadonlyArray<ListedRule>>([])
  const isWanted = useSignal(true)
  useEffect(() => {
    if (!isRenamed) return
    void getJson(getPermissions(), (found) => {
      rules.value = found.rules
    })
  }, [isRenamed])
  if (!isRenamed) return null
  const renaming = { of, before, after }
  const servers = serverList.value.map(({ name }) => name)
  const uses = usesOf(renaming, { agents: agents.value, chats: chats.value ?? [], rules: rules.value, servers })
  if (uses.agents.length + uses.chats.length + uses.rules.length === 0) return null
  const carry = () => isWanted.value ? carryOver(renaming, uses, servers).catch(tellError) : Promise.resolve()
  return { uses, isWanted, carry }
}

/** So many chats are named, the last used first. */
const CHATS = 5

export const NameUsesList = ({ isWanted, uses }: Carrying) => {
  const number = changeable(uses)
  return (
    <section class="stack name-uses" aria-label={words.title}>
      <p>{words.title}</p>
      <ul>
        {uses.agents.map(({ editable, name, why }) => (
          <li key={`agent ${name}`}>{words.agent(name)} {editable ? null : <span class="muted">{why}</span>}</li>
        ))}
        {uses.chats.slice(0, CHATS).map(({ id, title }) => <li key={id}>{words.chat(title)}</li>)}
        {uses.chats.length > CHATS ? <li>{words.more(uses.chats.length - CHATS)}</li> : null}
        {uses.rules.map(({ source, text }) => (
          <li key={`${source} ${text}`}>
            <code>{text}</code> <span class="muted">{words.byHand(source)}</span>
          </li>
        ))}
      </ul>
      {uses.rules.length === 0 ? null : <a href={address("settings", "permissions")}>{words.permissions}</a>}
      {number === 0 ? null : (
        <label class="row">
          <input
            type="checkbox"
            checked={isWanted.value}
            onChange={({ currentTarget }) => isWanted.value = currentTarget.checked}
          />
          {words.wants(number)}
        </label>
      )}
    </section>
  )
}
