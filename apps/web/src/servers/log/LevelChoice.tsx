/** How much a server is asked to report. */
import { useSignal } from "@preact/signals"
import type { ServerStatus } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { placeServer } from "../../state/Live.ts"
import { setLogLevel } from "../ServersClient.ts"
import { LEVELS } from "./LogLevels.ts"

/** What the configuration says, in place of a level. */
const CONFIGURED = ""

export const LevelChoice = ({ status: { logLevel, name } }: { readonly status: ServerStatus }) => {
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
