/** The version of BooCode, which every package and the command have in common. */
export const VERSION = "0.1.0"
