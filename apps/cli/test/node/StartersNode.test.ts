import { assert, describe, it } from "@effect/vitest"
import { managersAbove, ofPs } from "../../src/node/StartersNode.ts"

/** Which are watched of the processes with these command lines, each the parent of the one before, from 50 downward. */
const watched = (...lines: ReadonlyArray<ReadonlyArray<string>>) =>
  managersAbove(50, (pid) => {
    const words = lines[50 - pid]
    return words === undefined ? null : { pid, ppid: pid - 1, started: "", words }
  }).map(({ pid }) => pid)

const PERSON = [["-bash"], ["sshd: me@pts/0"]] as const

describe("StartersNode", () => {
  it("watches npx, the pnpm it runs, and the shells between them, but not the person's shell", () => {
    // As `npx -y pnpm@12 start` shows itself on Linux.
    const npx = [["pnpm", "start"], ["sh", "-c", "'pnpm' start"], ["npm exec pnpm@12 start"]]
    assert.deepStrictEqual(watched(...npx, ...PERSON), [50, 49, 48])
    assert.deepStrictEqual(watched(["sh", "-c", "node scripts/Start.mjs"], ...npx, ...PERSON), [50, 49, 48, 47])
  })

  it("knows package managers that Node runs, or that are programs of their own", () => {
    for (
      const words of [
        ["node", "/usr/local/bin/npx", "-y", "pnpm@12", "start"],
        ["/usr/bin/node", "/usr/lib/node_modules/npm/bin/npm-cli.js", "start"],
        ["node", "/home/me/pnpm/bin/pnpm.cjs", "start"],
        ["/home/me/.local/share/pnpm/pnpm", "start"],
        ["npm", "start"],
        ["npm run start"]
      ]
    ) assert.deepStrictEqual(watched(words, ...PERSON), [50], words.join(" "))
  })

  it("watches nothing where no package manager started it", () => {
    assert.deepStrictEqual(watched(), [])
    assert.deepStrictEqual(watched(...PERSON), [])
    assert.deepStrictEqual(watched(["sh", "-c", "node main.ts serve &"], ["/usr/sbin/sshd"]), [])
    // Its name alone makes no package manager.
    assert.deepStrictEqual(watched(["node", "npm-server.js"], ["vim", "npm"], ["npm"]), [])
  })

  it("does not look beyond a shell that a person types into, or another program", () => {
    const typed = [["npx", "serve"], ["bash"], ["npm exec bash"]]
    assert.deepStrictEqual(watched(...typed), [50])
    assert.deepStrictEqual(watched(["npx", "serve"], ["bash", "/home/me/serve.sh"], ["npm start"]), [50])
    assert.deepStrictEqual(watched(["npx", "serve"], ["bash", "-c", "nohup npx serve &"], ["/usr/sbin/sshd"]), [50])
  })

  it("reads what ps of macOS says about a process, of which nothing is left when it ended", () => {
    const found = ofPs(812, "  640 npm exec boocode serve  \n")
    assert.deepStrictEqual(found, { pid: 812, ppid: 640, words: ["npm", "exec", "boocode", "serve"], started: "" })
    assert.isNull(ofPs(812, ""))
    assert.isNull(ofPs(0, "0 kernel_task"))
  })
})
