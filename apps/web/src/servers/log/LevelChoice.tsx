/** How much a server is asked to report. */
import { useSignal } from "@preact/signals"
import { words } from "../../api/Client.ts"
import type { ServerStatus } from "../../api/Types.ts"
import { placeServer } from "../../state/Live.ts"
import { Notice } from "../../ui/Notice.tsx"
import { setLogLevel } from "../ServersClient.ts"
import { LEVELS } from "./LogLevels.ts"

/** What the configuration says, in place of a level. */
const CONFIGURED = ""

export const LevelChoice = ({ status: { logLevel, name } }: { readonly status: ServerStatus }) => {
  const refused = useSignal<ReturnType<typeof words> | null>(null)
  /** On its way to the server. */
  const wanted = useSignal<string | null>(null)
  const choose = async (level: string | null) => {
    wanted.value = level ?? CONFIGURED
    refused.value = null
    await setLogLevel(name, level).then(placeServer, (error) => {
      refused.value = words(error)
    })
    wanted.value = null
  }
  return (
    <>
      <label class="level-choice">
        It reports from
        <select
          class="input"
          value={wanted.value ?? logLevel ?? CONFIGURED}
          onChange={({ currentTarget: { value } }) => void choose(value === CONFIGURED ? null : value)}
        >
          {LEVELS.map((level) => <option key={level} value={level}>{level}</option>)}
          <option value={CONFIGURED}>as configured</option>
        </select>
      </label>
      {refused.value === null
        ? null
        : <Notice tone="bad" isUrgent hint={refused.value.hint}>{refused.value.message}</Notice>}
    </>
  )
}
