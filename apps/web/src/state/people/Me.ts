/**
 * Whether this person may change things that hold for everyone. Forbidden actions are not offered; the server refuses
 * them anyway.
 */
import { signal } from "@preact/signals"
import { get, Problem } from "../../api/Client.ts"
import { getJson } from "../Loading.ts"
import { draftsAreOf } from "../offline/KeptDrafts.ts"

/** True until the server says otherwise: on most servers there is one person. */
export const isAdmin = signal(true)

/** Whether there are other people here that something can be shown to. */
export const hasPeople = signal(false)

interface Me {
  readonly admin: boolean
  readonly users: boolean
  readonly user: { readonly id: string }
}

export const loadMe = () => {
  const asked = get<Me>("me")
  void getJson(asked, ({ admin, user, users }) => {
    isAdmin.value = admin
    hasPeople.value = users
    draftsAreOf(user.id)
  })
  // Without a server the drafts are there all the same.
  asked.catch((error) => error instanceof Problem && error.status === 0 && draftsAreOf(null))
}
