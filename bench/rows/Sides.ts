/** Who takes part: the raw clients, ours, and the peers. */
import { fileURLToPath } from "node:url"
import type { Side } from "../support/Harness.ts"
import { isInstalled } from "./Peers.ts"

/** A module with `open`, as `support/Client.ts` says. */
export interface Contender extends Pick<Side, "name" | "isPeer" | "missing" | "rounds"> {
  readonly module: string
}

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

const own = (name: string, file: string): Contender => ({ name, module: path(`clients/${file}`) })

/** Peers take part in fewer rounds: their figures are far from the targets, and the whole run is to stay short. */
const PEER = { isPeer: true, rounds: 3 }

const workspacePeer = (name: string, file: string): Contender => ({ ...own(name, file), ...PEER })

const peer = (name: string, file: string): Contender => ({
  name,
  module: path(`peers/${file}`),
  ...PEER,
  ...(isInstalled() ? {} : { missing: "not installed" })
})

export const RAW = own("raw", "RawStdio.ts")
export const RAW_TOGETHER = own("raw, writes coalesced", "RawTogether.ts")
export const RAW_HTTP = own("raw", "RawHttp.ts")
export const RAW_REQUEST = own("raw, undici request", "RawRequest.ts")
export const OURS = own("ours", "Registry.ts")
export const OURS_SILENT = own("ours, all off", "RegistrySilent.ts")
export const OURS_TRACED = own("ours, traced", "RegistryTraced.ts")
export const OURS_SAMPLED = own("ours, sampled", "RegistrySampled.ts")
export const OUR_TOOLKIT = own("ours", "Toolkit.ts")
export const OUR_PROGRESS = own("ours, with progress", "ToolkitProgress.ts")

export const SDK1 = peer("SDK v1", "Sdk1.mjs")
export const SDK2 = workspacePeer("SDK v2", "Sdk2.ts")
export const SDK2_AUTO = workspacePeer("SDK v2, auto", "Sdk2Auto.ts")
export const EFFECT = workspacePeer("effect/ai", "EffectMcp.ts")
export const EFFECT_TOOLKIT = workspacePeer("effect/ai", "EffectToolkit.ts")
export const AI_SDK = peer("AI SDK", "AiSdk.mjs")
export const LANGCHAIN = peer("LangChain", "LangChain.mjs")
export const MASTRA = peer("Mastra", "Mastra.mjs")

/** Those that offer a call by name. */
export const CALLING_PEERS = [SDK1, SDK2, EFFECT]
/** Those that offer tool objects, for the loop of a model. */
export const TOOL_PEERS = [AI_SDK, LANGCHAIN, MASTRA, EFFECT_TOOLKIT]
/** Those that take many servers at once. */
export const MANY_SERVER_PEERS = [LANGCHAIN, MASTRA]
/** Each once, by what it offers. */
export const PEERS = [SDK1, SDK2, EFFECT, AI_SDK, LANGCHAIN, MASTRA]

const PUBLISHED = new URL("../support/Published.mjs", import.meta.url).href

/** A side of a row: this program with this client. */
export const side =
  (program: string, ...args: ReadonlyArray<string>) => ({ module, ...contender }: Contender): Side => ({
    ...contender,
    args: ["--import", PUBLISHED, path(`programs/${program}`), module, ...args]
  })

/** A measurement that asks how much memory is in use. */
export const collecting = (measured: Side): Side => ({ ...measured, args: ["--expose-gc", ...measured.args] })
