/** A log as SQLite writes it beside a file, with pages of 512 bytes. */

const PAGE = 512
const FRAME = 24 + PAGE

/** Where a frame begins. */
export const at = (frame: number): number => 32 + frame * FRAME

/** One frame for each number: how many pages the file has after it where it is a commit, else 0. Its pages hold `fill`. */
export const of = (commits: ReadonlyArray<number>, fill = 1): Uint8Array => {
  const log = new Uint8Array(at(commits.length))
  const view = new DataView(log.buffer)
  for (const [place, value] of [0x377f0682, 3_007_000, PAGE, 0, 11, 12].entries()) view.setUint32(place * 4, value)
  let sum = add(view, [0, 0], 0, 24)
  put(view, 24, sum)
  for (const [frame, commit] of commits.entries()) {
    const start = at(frame)
    for (const [place, value] of [1, commit, 11, 12].entries()) view.setUint32(start + place * 4, value)
    // The first commit is the same in every log.
    log.fill(frame === 0 ? 1 : fill, start + 24, start + FRAME)
    sum = add(view, add(view, sum, start, 8), start + 24, PAGE)
    put(view, start + 16, sum)
  }
  return log
}

type Sum = readonly [number, number]

const add = (view: DataView, before: Sum, from: number, length: number): Sum => {
  let [one, other] = before
  for (let place = from; place < from + length; place += 8) {
    one = (one + view.getUint32(place, true) + other) >>> 0
    other = (other + view.getUint32(place + 4, true) + one) >>> 0
  }
  return [one, other]
}

const put = (view: DataView, place: number, [one, other]: Sum): void => {
  view.setUint32(place, one)
  view.setUint32(place + 4, other)
}
