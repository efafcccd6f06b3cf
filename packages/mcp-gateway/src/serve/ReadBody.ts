/** The body of a response on which a client listens, as far as the client reads it. */

/** A client that is so many bytes behind does not read; what is sent to it would stay in memory. */
const MOST_UNREAD = 16 * 1024 * 1024

/**
 * Passes the bytes on as they come. The SDK puts no limit to the bytes that wait for a reader, so here the body fails
 * when its reader falls too far behind. `over` is called once, when the body ends, fails or is given up. `first` goes
 * out at once.
 */
export const make = (
  body: ReadableStream<Uint8Array>,
  over: () => void,
  first: Uint8Array | null = null
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let isOpen = true
  const end = () => {
    if (isOpen) over()
    isOpen = false
  }
  const pump = (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> =>
    reader.read().then(({ done, value }) => {
      if (!isOpen) return
      if (done) {
        end()
        return controller.close()
      }
      controller.enqueue(value)
      if ((controller.desiredSize ?? 0) >= -MOST_UNREAD) return pump(controller)
      end()
      controller.error(new Error(`the client is more than ${MOST_UNREAD} bytes behind`))
      return reader.cancel()
    })
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (first !== null) controller.enqueue(first)
      void pump(controller).catch((error) => {
        end()
        controller.error(error)
      })
    },
    cancel: (reason) => {
      end()
      return reader.cancel(reason)
    }
  }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }))
}
