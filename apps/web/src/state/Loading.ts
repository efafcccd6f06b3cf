/** Reads in the background: a failure is told once, by the connection or a toast, and nothing stops. */
import { Problem, words } from "../api/Client.ts"
import { tell } from "./Toasts.ts"

/** Takes what comes of a request. That the server is away, or wants a login, is shown elsewhere already. */
export const getJson = <A>(request: Promise<A>, take: (answer: A) => void): Promise<void> =>
  request.then(take, (error) => {
    if (!(error instanceof Problem && (error.status === 0 || error.status === 401))) tellError(error)
  })

export const tellError = (error: unknown) => {
  const { hint, message } = words(error)
  tell({ text: message, hint, isBad: true })
}
