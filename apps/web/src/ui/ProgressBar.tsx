/** How far a call is, in the words of its server. */
import { amount } from "../messages/Numbers.ts"
import { ui } from "../messages/UiMessages.ts"

interface ProgressProps {
  /** The name of the thing that is measured. */
  readonly name: string
  readonly progress: number
  /** Null while nobody knows. */
  readonly total: number | null
  readonly message: string | null
}

export const ProgressBar = ({ message, name, progress, total }: ProgressProps) => {
  const number = total === null ? amount(progress) : ui.progress(amount(progress), amount(total))
  return (
    <>
      <progress
        class="progress"
        aria-label={ui.progressOf(name)}
        {...(total === null ? {} : { max: total, value: progress })}
      />
      <p class="gist">{message === null ? number : `${number}: ${message}`}</p>
    </>
  )
}
