/**
 * Whether this person may change things that hold for everyone. Forbidden actions are not offered; the server refuses
 * them anyway.
 */
import { signal } from "@preact/signals"
import { get } from "../../api/Client.ts"
import { getJson } from "../Loading.ts"

/** True until the server says otherwise: on most servers there is one person. */
export const isAdmin = signal(true)

/** Whether there are others here, to whom something can be shown. */
export const hasPeople = signal(false)

export const loadMe = () =>
  void getJson(get<{ readonly admin: boolean; readonly users: boolean }>("me"), ({ admin, users }) => {
    isAdmin.value = admin
    hasPeople.value = users
  })
