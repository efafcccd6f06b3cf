/** Servers from nothing to tools, and what one that does not come costs the others. */
import type { Row } from "../support/Harness.ts"
import { MANY_SERVER_PEERS, OURS, PEERS, RAW, SDK2_AUTO, side } from "./Sides.ts"

const nine = (tenth: string) => side("Nine.ts", "--tenth", tenth)

const others = (name: string, tenth: string, seconds: number, title: string): Row => ({
  name,
  title,
  sides: [
    { ...nine("none")(OURS), name: "ours, without it" },
    nine(tenth)(OURS),
    ...MANY_SERVER_PEERS.map((peer) => ({ ...nine(tenth)(peer), rounds: 1 }))
  ],
  figures: [{ name: "wall", unit: "ms", target: { ratio: 1.1 } }],
  compared: "ours without it",
  seconds
})

export const startRows = (): ReadonlyArray<Row> => [
  {
    name: "cold-32",
    title: "32 stdio servers, from nothing to all their tools (ours finds out the revision, `auto`)",
    sides: [RAW, OURS, ...PEERS, SDK2_AUTO].map(side("Cold.ts")),
    figures: [
      { name: "wall", unit: "ms", target: { ratio: 1.05 } },
      { name: "cpu", unit: "ms" },
      { name: "processes a server", unit: "", target: { value: 1 } }
    ],
    seconds: 60
  },
  others(
    "one-hung",
    "hung",
    // A peer's own patience is a minute.
    5,
    "Ten stdio servers, one never answers: until the other nine are usable, against ours without it"
  ),
  others(
    "one-slow",
    "slow",
    15,
    "Ten stdio servers, one takes 3 s to start: until the other nine are usable, against ours without it"
  )
]
