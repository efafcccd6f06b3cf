/** The route `#/tools`: the tools of all servers; `#/tools/NAME`: one of them, to try. */
import { tools as texts } from "../messages/ToolsMessages.ts"
import { tools } from "../state/Catalog.ts"
import { Panel } from "../state/Panel.tsx"
import { address } from "../state/Route.ts"
import { LinkButton } from "../ui/Button.tsx"
import { Empty } from "../ui/Empty.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Playground } from "./Playground.tsx"
import { ToolList } from "./ToolList.tsx"
import "../ui/panels.css"
import "./tools.css"

export const ToolsPanel = ({ rest }: PanelProps) => {
  const name = rest[0] ?? null
  const tool = tools.value.find((one) => one.name === name)
  const actions = name === null
    ? undefined
    : (
      <span class="narrow-only">
        <LinkButton href={address("tools")} icon="left" isSmall>{texts.allTools}</LinkButton>
      </span>
    )
  return (
    <Panel title={texts.tools} actions={actions}>
      <div class={name === null ? "tools" : "tools chosen"}>
        <ToolList chosen={name} />
        <div class="tool-main">
          {tool !== undefined
            ? <Playground key={tool.name} tool={tool} />
            : name === null
            ? (
              <Empty title={texts.chooseATool}>
                <p>{texts.chooseAbout}</p>
              </Empty>
            )
            : (
              <Empty title={texts.noSuchTool(name)}>
                <p>{texts.noSuchToolAbout}</p>
              </Empty>
            )}
        </div>
      </div>
    </Panel>
  )
}
