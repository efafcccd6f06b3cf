/** How steeply a cost grows: the exponent of its upper half, where fixed costs matter least. 1 is linear. */

/** A larger exponent means faster than linear growth, even on a disturbed machine. */
export const LINEAR = 1.15

/** What one size cost. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The slope of the straight line through the logarithms (least squares) of the points beyond the middle of the axis. */
export const ofUpperHalf = (points: ReadonlyArray<Point>): number => {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))
  const least = Math.min(...logs.map(({ x }) => x))
  const middle = (least + Math.max(...logs.map(({ x }) => x))) / 2
  const upper = logs.filter(({ x }) => x >= middle)
  const mean = (of: (point: Point) => number) => upper.reduce((sum, point) => sum + of(point), 0) / upper.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
}
