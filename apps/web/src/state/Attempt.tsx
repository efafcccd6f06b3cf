/** One request of a button: whether it is on its way, and why it was refused. */
import { type Signal, useSignal } from "@preact/signals"
import { type Refusal, words } from "../api/Client.ts"
import { Notice } from "../ui/Notice.tsx"

export interface Attempt {
  readonly isBusy: Signal<boolean>
  /** The refusal of the last request; null while another is on its way. */
  readonly refused: Signal<Refusal | null>
  /** Makes the request. Gives false when it was refused. */
  readonly run: (request: () => Promise<unknown>) => Promise<boolean>
}

export const useAttempt = (): Attempt => {
  const isBusy = useSignal(false)
  const refused = useSignal<Refusal | null>(null)
  const run = async (request: () => Promise<unknown>) => {
    isBusy.value = true
    refused.value = null
    await request().catch((error) => {
      refused.value = words(error)
    })
    isBusy.value = false
    return refused.value === null
  }
  return { isBusy, refused, run }
}

export const Refused = ({ why }: { readonly why: Refusal | null }) =>
  why === null ? null : <Notice tone="bad" isUrgent hint={why.hint}>{why.message}</Notice>
