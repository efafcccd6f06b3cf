/** A part of the page that is loaded when it is first shown. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ui } from "../messages/UiMessages.ts"
import { Button } from "./Button.tsx"
import { Empty } from "./Empty.tsx"
import { Spinner } from "./Spinner.tsx"

export interface PanelProps {
  /** What the address has after the panel's name, decoded. */
  readonly rest: ReadonlyArray<string>
}

export const lazy = (load: () => Promise<ComponentType<PanelProps>>): ComponentType<PanelProps> => {
  let loaded: ComponentType<PanelProps> | null = null
  return ({ rest }) => {
    const [Panel, setPanel] = useState<ComponentType<PanelProps> | null>(() => loaded)
    const [isFailed, setFailed] = useState(false)
    useEffect(() => {
      if (Panel !== null) return
      load().then((panel) => {
        loaded = panel
        setPanel(() => panel)
      }, () => setFailed(true))
    }, [Panel])
    if (Panel !== null) return <Panel rest={rest} />
    if (!isFailed) {
      return (
        <Empty title={ui.oneMoment}>
          <Spinner label={ui.loading} />
        </Empty>
      )
    }
    return (
      <Empty title={ui.notLoaded}>
        <p>{ui.notLoadedWhy}</p>
        <Button icon="retry" onClick={() => location.reload()}>{ui.reload}</Button>
      </Empty>
    )
  }
}
