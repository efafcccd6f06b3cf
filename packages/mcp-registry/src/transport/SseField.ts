/**
 * The fields of server-sent events other than their data: what an event is called, and where a stream may be taken up.
 */

/** What a stream is at. @category models */
export interface Place {
  /** The id of the last event that was complete and had one. */
  lastEventId: string | null
  /** How long the server wants us to wait before the next connection, in milliseconds. */
  retryMillis: number | null
}

/** The fields of one event so far. @category models */
export interface Fields {
  id: string | null
  name: string
}

/** At the start of a stream. @category constructors */
export const place = (): Place => ({ lastEventId: null, retryMillis: null })

/** At the start of an event. @category constructors */
export const begin = (): Fields => ({ id: null, name: "" })

/** Takes a line that is neither data nor a comment. One that means nothing counts for nothing. @category decoding */
export const read = (line: string, fields: Fields, at: Place): void => {
  const colon = line.indexOf(":")
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
  if (name === "event") fields.name = value
  if (name === "id" && ID.test(value)) fields.id = value
  if (name === "retry" && RETRY.test(value)) at.retryMillis = Number(value)
}

/** The event is complete. @category combinators */
export const passed = (at: Place, { id }: Fields): void => {
  if (id !== null) at.lastEventId = id
}

/** What a header can hold, for that is how it goes back. An event with any other id counts as one without. */
const ID = /^[\x20-\x7e]{0,1000}$/
const RETRY = /^\d{1,9}$/
