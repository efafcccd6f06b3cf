/** The list of tools to choose from. */
import { useSignal } from "@preact/signals"
import type { Tool } from "../api/Types.ts"
import { cut } from "../messages/Numbers.ts"
import { tools as texts } from "../messages/ToolsMessages.ts"
import { agents, tools } from "../state/Catalog.ts"
import { address } from "../state/Route.ts"
import { Empty } from "../ui/Empty.tsx"
import { Growing } from "../ui/forms/Growing.tsx"
import { Icon } from "../ui/Icon.tsx"
import { useFound, type Wanted } from "./ToolFinding.ts"

const EVERYTHING: Wanted = { words: "", server: null, agent: null }

export const ToolList = ({ chosen }: { readonly chosen: string | null }) => {
  const wanted = useSignal(EVERYTHING)
  const { isWaiting, tools: found } = useFound(wanted.value)
  const serverNames = [...new Set(tools.value.map(({ server }) => server))].sort()
  const change = (part: Partial<Wanted>) => wanted.value = { ...wanted.value, ...part }
  const isNarrowed = wanted.value !== EVERYTHING
  return (
    <section class="tool-list" aria-label={texts.tools}>
      <div class="tool-filters">
        <div class="search">
          <Icon name="search" />
          <input
            id="tool-search"
            class="input"
            type="search"
            aria-label={texts.searchTools}
            placeholder={texts.whatShouldItDo}
            value={wanted.value.words}
            onInput={(event) => change({ words: event.currentTarget.value })}
          />
        </div>
        <div class="tool-selects">
          <select
            class="input"
            aria-label={texts.server}
            value={wanted.value.server ?? ""}
            onChange={(event) =>
              change({ server: event.currentTarget.value === "" ? null : event.currentTarget.value })}
          >
            <option value="">{texts.everyServer}</option>
            {serverNames.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
          <select
            class="input"
            aria-label={texts.agent}
            value={wanted.value.agent ?? ""}
            onChange={(event) => change({ agent: event.currentTarget.value === "" ? null : event.currentTarget.value })}
          >
            <option value="">{texts.everyAgent}</option>
            {agents.value.map(({ name }) => <option key={name} value={name}>{name}</option>)}
          </select>
        </div>
        <p class="muted tool-count" role="status">
          {isNarrowed ? texts.someOf(found.length, tools.value.length) : texts.number(found.length)}
          {isWaiting ? texts.stillSearching : ""}
        </p>
      </div>
      <div class="tool-scroll">
        {found.length === 0 && !isWaiting
          ? (
            <Empty title={tools.value.length === 0 ? texts.noToolsYet : texts.nothingWasFound}>
              {tools.value.length === 0 ? <p>{texts.serversBring}</p> : null}
            </Empty>
          )
          : (
            <Growing
              key={JSON.stringify(wanted.value)}
              items={found}
              label={texts.toolsFound}
              render={(tool) => <Item key={tool.name} tool={tool} isChosen={tool.name === chosen} />}
            />
          )}
      </div>
    </section>
  )
}

const Item = (
  { isChosen, tool: { description, name, server, tool } }: { readonly tool: Tool; readonly isChosen: boolean }
) => (
  <li>
    <a class="tool-item" href={address("tools", name)} {...(isChosen ? { "aria-current": "page" } : {})}>
      <span class="tool-item-name">{tool}</span>
      <span class="tool-server">{server}</span>
      {description === null ? null : <span class="tool-about">{cut(description, 140)}</span>}
    </a>
  </li>
)
