/** The anchor of a heading, as GitHub makes it, so that a link leads to the same place there and on the site. */
export const anchorOf = (heading: string): string =>
  heading.trim().toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, "").replaceAll(" ", "-")
