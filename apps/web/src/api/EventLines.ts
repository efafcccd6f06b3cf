/** Reads server-sent events of an answer to a POST, which the browser's own EventSource cannot ask. */

/** The documents of the events, one after the other; the stream is let go of when the reader stops early. */
export async function* documentsOf<A>(response: Response): AsyncGenerator<A, void> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line.startsWith("data:")) yield JSON.parse(line.slice(5))
    }
  } finally {
    await reader.cancel().catch(() => {}) // it ended, or was cancelled already
  }
}
