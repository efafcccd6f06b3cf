/** The model of new chats, where neither agent nor server names one: chosen in this browser, else the last one used. */
import { computed, signal } from "@preact/signals"
import { models } from "./Catalog.ts"

const KEY = "boocode.model"

const preferred = signal(localStorage.getItem(KEY))

export const prefer = (id: string) => {
  localStorage.setItem(KEY, id)
  preferred.value = id
}

/** True once it is known that no provider of models can be used. */
export const lacksProvider = computed(() =>
  models.value !== null && models.value.command.active && models.value.models.every(({ ready }) => !ready)
)

/** Null where the server has a default of its own, and while there is nothing to choose from. */
export const startModel = computed((): string | null => {
  const known = models.value
  if (known === null || !known.command.active) return null
  const ready = known.models.filter((one) => one.ready)
  const chosen = preferred.value
  if (chosen !== null && ready.some(({ provider }) => chosen.startsWith(`${provider}/`))) return chosen
  const used = ready.flatMap(({ suggested }) => suggested).filter((one) => one.used !== null)
    .toSorted((one, other) => (one.used ?? "") < (other.used ?? "") ? 1 : -1)
  return used[0]?.id ?? null
})
