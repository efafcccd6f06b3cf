/** Axes of pictures. Pure. */

/** The end of an axis: at least the highest bar, and a number that people read with ease, as they do its half. */
export const axisEnd = (most: number): number => {
  if (most <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 4, 6, 10].map((step) => step * power).find((end) => end >= most * 0.999_999) ?? most
}
