import { assert, describe, it } from "@effect/vitest"
import { MovedSecrets } from "../../src/Exchange.ts"

const move = (entry: Parameters<typeof MovedSecrets.move>[1], taken: Readonly<Record<string, string>> = {}) =>
  MovedSecrets.move("git-hub", entry, (name, value) => taken[name] === undefined || taken[name] === value)

describe("MovedSecrets", () => {
  it("takes the values of secrets out of env, headers, arguments and addresses", () => {
    assert.deepStrictEqual(
      move({
        command: "npx",
        args: ["-y", "srv", "--api-key", "k1", "--token=k$${2}", "--port", "80", "https://x/?key=k3&a=b"],
        env: {
          GITHUB_TOKEN: "t",
          LOG: "debug",
          REF: "${OTHER_TOKEN}",
          PLAIN: "ghp_0123456789abcdef0123",
          EMPTY_KEY: ""
        }
      }),
      {
        entry: {
          command: "npx",
          args: [
            "-y",
            "srv",
            "--api-key",
            "${GIT_HUB_API_KEY}",
            "--token=${GIT_HUB_TOKEN}",
            "--port",
            "80",
            "https://x/?key=${GIT_HUB_KEY}&a=b"
          ],
          env: {
            GITHUB_TOKEN: "${GITHUB_TOKEN}",
            LOG: "debug",
            REF: "${OTHER_TOKEN}",
            PLAIN: "${PLAIN}",
            EMPTY_KEY: ""
          }
        },
        values: {
          GITHUB_TOKEN: "t",
          PLAIN: "ghp_0123456789abcdef0123",
          GIT_HUB_API_KEY: "k1",
          GIT_HUB_TOKEN: "k${2}",
          GIT_HUB_KEY: "k3"
        }
      }
    )
    assert.deepStrictEqual(
      move({
        url: "https://x.example/mcp?apiKey=a%20b",
        headers: { Authorization: "Bearer abc", "X-Api-Key": "d", Accept: "x" }
      }),
      {
        entry: {
          url: "https://x.example/mcp?apiKey=${GIT_HUB_APIKEY}",
          headers: { Authorization: "Bearer ${GIT_HUB_TOKEN}", "X-Api-Key": "${X_API_KEY}", Accept: "x" }
        },
        values: { GIT_HUB_TOKEN: "abc", X_API_KEY: "d", GIT_HUB_APIKEY: "a%20b" }
      }
    )
  })

  it("takes another name where a variable has another value, and none where it has this one", () => {
    const entry = { command: "x", env: { TOKEN: "t", KEY: "k" } }
    assert.deepStrictEqual(move(entry, { TOKEN: "other", KEY: "k" }).values, { GIT_HUB_TOKEN: "t", KEY: "k" })
    assert.deepStrictEqual(move(entry, { TOKEN: "other", GIT_HUB_TOKEN: "o" }).values, {
      GIT_HUB_TOKEN_2: "t",
      KEY: "k"
    })
  })
})
