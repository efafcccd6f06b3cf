/** The tools of one server, each with its schema and the way to try it. */
import { useSignal } from "@preact/signals"
import type { ServerStatus, Tool } from "../api/Types.ts"
import { address } from "../state/Route.ts"
import { ToolBadges } from "../tools/ToolBadges.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Growing } from "../ui/forms/Growing.tsx"
import { short } from "../ui/Numbers.ts"
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
          <input
            class="input server-search"
            type="search"
            aria-label="Find a tool"
            placeholder="Find a tool"
            value={words.value}
            onInput={(event) => words.value = event.currentTarget.value}
          />
        )
        : null}
      {tools.length === 0
        ? (
          <Empty title="No tools">
            <p>{status.state === "ready" ? "It offers none that passed." : `The server is ${status.state}.`}</p>
          </Empty>
        )
        : <Growing items={found} class="tool-rows" label={`Tools of ${status.name}`} render={row} />}
      <Rejected status={status} />
    </>
  )
}

const row = (tool: Tool) => <ToolRow key={tool.name} tool={tool} />

const ToolRow = ({ tool }: { readonly tool: Tool }) => {
  const isOpen = useSignal(false)
  return (
    <li class="tool-row">
      <div class="tool-row-head">
        <h2>
          <code>{tool.tool}</code>
        </h2>
        <ToolBadges tool={tool} />
        <span class="muted tool-tokens">{short(tool.tokens)} tokens</span>
        <LinkButton href={address("tools", tool.name)} icon="play" isSmall>
          Try<span class="visually-hidden">{tool.tool}</span>
        </LinkButton>
      </div>
      {tool.description === null ? null : <p class="words clamp">{tool.description}</p>}
      <details class="fold" onToggle={(event) => isOpen.value = event.currentTarget.open}>
        <summary>
          Schema<span class="visually-hidden">of {tool.tool}</span>
        </summary>
        {isOpen.value
          ? (
            <>
              {tool.description === null ? null : <p class="words">{tool.description}</p>}
              <CodeBlock
                code={JSON.stringify(tool.inputSchema, null, 2)}
                language="json"
                label={`Input schema of ${tool.tool}`}
              />
            </>
          )
          : null}
      </details>
    </li>
  )
}
