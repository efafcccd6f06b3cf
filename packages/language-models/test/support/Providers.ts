/** Every provider as the tests reach it, with its streams. */
import * as Anthropic from "../streams/Anthropic.ts"
import * as Compatible from "../streams/Compatible.ts"
import * as Google from "../streams/Google.ts"
import * as OpenAi from "../streams/Openai.ts"
import { COMPATIBLE as AT_BASE_URL, KEYS } from "./Asking.ts"

export const ANTHROPIC = "anthropic/claude-sonnet-4-5"
export const GOOGLE = "google/gemini-2.5-flash"
export const OPENAI = "openai/gpt-5"
export const COMPATIBLE = "openai/qwen3-8b"

export const PROVIDERS = [
  { model: ANTHROPIC, variables: KEYS, tools: Anthropic.thinkingTools, text: Anthropic.text },
  { model: GOOGLE, variables: KEYS, tools: Google.thoughtTools, text: Google.text },
  { model: OPENAI, variables: KEYS, tools: OpenAi.reasoningTools, text: OpenAi.text },
  { model: COMPATIBLE, variables: AT_BASE_URL, tools: Compatible.reasoningTools, text: Compatible.text }
]
