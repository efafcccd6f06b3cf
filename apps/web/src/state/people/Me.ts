/** Whether this person may change what holds for everyone. What they may not do is not offered; the server refuses it anyway. */
import { signal } from "@preact/signals"
import { get } from "../../api/Client.ts"
import { getJson } from "../Loading.ts"

/** True until the server says otherwise: on most servers there is one person. */
export const isAdmin = signal(true)

export const loadMe = () =>
  void getJson(get<{ readonly admin: boolean }>("me"), ({ admin }) => {
    isAdmin.value = admin
  })
