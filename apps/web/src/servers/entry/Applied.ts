/** A change of an entry, whose answer comes when its server is up: the page goes on as soon as the change is taken. */
import { effect } from "@preact/signals"
import { servers } from "../../state/Live.ts"
import { tellError } from "../../state/Loading.ts"

/** Ends with the answer, or as soon as the server's state shows that the change is applied. A later failure is a toast. */
export const applied = (name: string, request: Promise<unknown>): Promise<void> =>
  new Promise((done, refused) => {
    const before = servers.peek().get(name)
    let isOver = false
    const stop = effect(() => {
      if (servers.value.get(name) === before) return
      isOver = true
      done()
    })
    void request.then(() => done(), (error) => isOver ? tellError(error) : refused(error)).finally(stop)
  })
