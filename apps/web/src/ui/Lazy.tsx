/** A part of the page that is loaded when it is first shown. */
import type { ComponentChildren, ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ui } from "../messages/UiMessages.ts"
import { Button } from "./Button.tsx"
import { Empty } from "./Empty.tsx"
import { Spinner } from "./Spinner.tsx"

export interface PanelProps {
  /** The words of the address after the panel's name, decoded. */
  readonly rest: ReadonlyArray<string>
}

const Waiting = () => (
  <Empty title={ui.oneMoment}>
    <Spinner label={ui.loading} />
  </Empty>
)

/** `waiting` stands there until it is loaded. */
export function lazy<Props extends object = PanelProps>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ComponentChildren | ((props: Props) => ComponentChildren) = <Waiting />
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null
  return (props) => {
    const [Panel, setPanel] = useState<ComponentType<Props> | null>(() => loaded)
    const [isFailed, setFailed] = useState(false)
    useEffect(() => {
      if (Panel !== null) return
      load().then((panel) => {
        loaded = panel
        setPanel(() => panel)
      }, () => setFailed(true))
    }, [Panel])
    if (Panel !== null) return <Panel {...props} />
    if (!isFailed) return <>{typeof waiting === "function" ? waiting(props) : waiting}</>
    return (
      <Empty title={ui.notLoaded}>
        <p>{ui.notLoadedWhy}</p>
        <Button icon="retry" onClick={() => location.reload()}>{ui.reload}</Button>
      </Empty>
    )
  }
}
