/**
 * Whether this person may change things that hold for everyone. Forbidden actions are not offered; the server refuses
 * them anyway.
 */
import { signal } from "@preact/signals"
import { get } from "../../api/Client.ts"
import { getJson } from "../Loading.ts"

/** True until the server says otherwise: on most servers there is one person. */
export const isAdmin = signal(true)

export const loadMe = () =>
  void getJson(get<{ readonly admin: boolean }>("me"), ({ admin }) => {
    isAdmin.value = admin
  })
