/** The outcome of asking a provider for its models. */
import type { ProviderTrial } from "../api/Types.ts"
import { duration } from "../messages/Numbers.ts"
import { provider as words } from "../messages/ProviderMessages.ts"
import { Notice } from "../ui/Notice.tsx"
import { Success } from "../ui/Success.tsx"

export const ProviderTest = ({ trial }: { readonly trial: ProviderTrial | null }) => {
  if (trial === null) return null
  const { error, millis, models } = trial
  if (error !== null) return <Notice tone="bad" isUrgent hint={error.hint}>{error.message}</Notice>
  if (models.length === 0) return <Notice tone="warn">{words.noModels}</Notice>
  return <Success>{words.works(models.length, duration(millis))}</Success>
}
