/** The people and groups that something can be for, as suggestions: typing is free. */
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get } from "../../api/Client.ts"
import { hasPeople, isAdmin } from "./Me.ts"

interface Known {
  readonly name: string
  readonly groups: ReadonlyArray<string>
}

const known = signal<ReadonlyArray<Known>>([])

/** The admins, then the groups, then the people. */
export const suggestions = (people: ReadonlyArray<Known>): ReadonlyArray<string> => [
  "admins",
  ...[...new Set(people.flatMap(({ groups }) => groups))].toSorted().map((group) => `group:${group}`),
  ...people.map(({ name }) => name)
]

/** Read anew whenever a form opens; where there are no people, or they are not told, there are none. */
export const useKnownPeople = (): ReadonlyArray<Known> => {
  useEffect(() => {
    if (!hasPeople.value || !isAdmin.value) return
    get<{ readonly users: ReadonlyArray<Known> }>("users").then(({ users }) => {
      known.value = users
    }, () => undefined)
  }, [hasPeople.value, isAdmin.value])
  return known.value
}
