/** The tools of one server, each with its schema and the way to try it. */
import { useSignal } from "@preact/signals"
import type { ServerStatus, Tool } from "../api/Types.ts"
import { short } from "../messages/Numbers.ts"
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { address } from "../state/Route.ts"
import { ToolBadges } from "../tools/ToolBadges.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Fold } from "../ui/Fold.tsx"
import { Growing } from "../ui/forms/Growing.tsx"
import { SearchInput } from "../ui/forms/SearchInput.tsx"
import { Rejected } from "./ServerTroubles.tsx"

interface ServerToolsProps {
  readonly status: ServerStatus
  readonly tools: ReadonlyArray<Tool>
}

/** With more tools than this, there is a field to find one. */
const MANY = 12

export const ServerToolList = ({ status, tools }: ServerToolsProps) => {
  const words = useSignal("")
  const wanted = words.value.toLowerCase().split(/\s+/)
  const found = tools.filter(({ description, tool }) => {
    const text = `${tool} ${description ?? ""}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
  return (
    <>
      {tools.length > MANY
        ? (
          <SearchInput
            class="server-search"
            label={texts.findATool}
            value={words.value}
            onValue={(value) => words.value = value}
          />
        )
        : null}
      {tools.length === 0
        ? (
          <Empty title={texts.noTools}>
            <p>{status.state === "ready" ? texts.nonePassed : texts.isInState(status.state)}</p>
          </Empty>
        )
        : <Growing items={found} class="tool-rows" label={texts.toolsOf(status.name)} render={row} />}
      <Rejected status={status} />
    </>
  )
}

const row = (tool: Tool) => (
  <li class="tool-row" key={tool.name}>
    <div class="tool-row-head">
      <h2>
        <code>{tool.tool}</code>
      </h2>
      <ToolBadges tool={tool} />
      <span class="muted tool-tokens">{texts.tokens(short(tool.tokens))}</span>
      <LinkButton href={address("tools", tool.name)} icon="play" isSmall>
        {texts.try}
        <span class="visually-hidden">{tool.tool}</span>
      </LinkButton>
    </div>
    {tool.description === null ? null : <p class="words clamp">{tool.description}</p>}
    <Fold
      summary={
        <>
          {texts.schema}
          <span class="visually-hidden">{texts.ofTool(tool.tool)}</span>
        </>
      }
      inside={() => (
        <>
          {tool.description === null ? null : <p class="words">{tool.description}</p>}
          <CodeBlock
            code={JSON.stringify(tool.inputSchema, null, 2)}
            language="json"
            label={texts.inputSchemaOf(tool.tool)}
          />
        </>
      )}
    />
  </li>
)
