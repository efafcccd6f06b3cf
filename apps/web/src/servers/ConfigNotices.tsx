/** What keeps configuration files from being used, and what their last change did. */
import type { ConfigProblem } from "../api/Types.ts"
import { configNews, configProblems } from "../state/Live.ts"
import { Notice } from "../ui/Notice.tsx"

const where = ({ column, file, line }: ConfigProblem): string =>
  [file, line, column].filter((part) => part !== null).join(":")

/** The messages mostly begin with the place. */
const message = (problem: ConfigProblem): string =>
  problem.message.includes(where(problem)) ? problem.message : `${where(problem)}: ${problem.message}`

export const ConfigNotices = () => (
  <>
    {configProblems.value.map((problem) => (
      <Notice key={message(problem)} tone="bad" isUrgent hint={problem.hint}>{message(problem)}</Notice>
    ))}
    <p class="config-news" role="status">{configNews.value ?? ""}</p>
  </>
)
