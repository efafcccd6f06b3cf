/**
 * Tells text that looks like a secret key from the name of a model or a provider. Pure. A name that looks like one is
 * refused, so the rule is stricter than that of `HiddenValues` in mcp-config, which hides values.
 */

/**
 * Whether a text, or a part of it between slashes, colons, equals signs or blanks, looks like a key: it begins as the keys of
 * known services do (`sk-`, `AIza`, `gsk_`, `ghp_`, …) and goes on for 8 characters, or it has 24 letters and digits
 * in a row that change between small, large and digit as often as chance makes them. Not every key can be told: a key of
 * words passes.
 */
export const isLikeKey = (text: string): boolean =>
  text.split(/[\s/:=,;"'`]+/).some((part) => PREFIXED.test(part) || part.split(/[^A-Za-z0-9]+/).some(isRandom))

/** As it is shown where a text looks like a key. */
export const HIDDEN = "[hidden]"

/** A text as it may be shown: `[hidden]` in place of one that looks like a key. */
export const shown = (text: string): string => isLikeKey(text) ? HIDDEN : text

/** A sentence as it may be shown: `[hidden]` in place of each word in it that looks like a key. */
export const scrub = (text: string): string => text.replaceAll(/[\w-]{12,}/g, shown)

/** As OpenAI, Anthropic, OpenRouter, Google, Groq, GitHub, Hugging Face, xAI, Perplexity, NVIDIA and others begin theirs. */
const PREFIXED =
  /^(?:sk-|sk_|csk-|AIza|gsk_|gh[opsur]_|github_pat_|glpat-|hf_|xai-|pplx-|nvapi-|r8_|fw_|tgp_|AKIA|eyJ)[\w.-]{8,}$/

const SHORTEST = 24
/** By chance about half of all neighbours differ in kind; words with numbers in them stay far below. */
const SHARE = 0.3

const isRandom = (word: string): boolean => {
  if (word.length < SHORTEST) return false
  const runs = word.match(/[a-z]+|[A-Z]+|\d+/g) ?? []
  return runs.length - 1 > word.length * SHARE
}
