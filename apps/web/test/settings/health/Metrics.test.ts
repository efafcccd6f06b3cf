import { assert, describe, it } from "@effect/vitest"
import { csv, one, read, tablesOf } from "../../../src/settings/health/Metrics.ts"

const TEXT = `# HELP process_uptime_seconds Time since the start
# TYPE process_uptime_seconds gauge
process_uptime_seconds 12.5
mcp_server_tools{server="a"} 3
mcp_server_restarts_total{server="a"} 2
mcp_tool_calls_total{server="a",tool="a_x",outcome="ok"} 8
mcp_tool_calls_total{server="a",tool="a_x",outcome="failed"} 2
mcp_client_operation_duration_seconds_bucket{boocode_server="a",le="+Inf"} 10
mcp_client_operation_duration_seconds_sum{boocode_server="a"} 5
mcp_client_operation_duration_seconds_count{boocode_server="a"} 10
boocode_http_requests_total{method="GET",route="/api/chats",status="200"} 4
boocode_http_requests_total{method="GET",route="/api/chats",status="404"} 1
boocode_model_tokens_total{model="x/\\"m\\"",kind="input"} 1200
boocode_model_cost_dollars_total{model="x/\\"m\\""} 0.5
not a figure
`

describe("The figures of the server", () => {
  it("are read from what a monitoring system gets", () => {
    const figures = read(TEXT)
    assert.strictEqual(figures.length, 12)
    assert.strictEqual(one(figures, "process_uptime_seconds"), 12.5)
    assert.strictEqual(one(figures, "mcp_tool_calls_total", { server: "a" }), 10)
  })

  it("are tables of servers, models and requests, and nothing where nothing was counted", () => {
    assert.deepStrictEqual(tablesOf(read(TEXT)).map(({ rows, title }) => [title, rows]), [
      ["Servers", [["a", "3", "10", "2", "500 ms", "2"]]],
      ["Models", [["x/\"m\"", "1.2k", "0", "$0.50"]]],
      ["Requests", [["/api/chats", "5", "1", ""]]]
    ])
    assert.deepStrictEqual(tablesOf([]), [])
  })

  it("are saved all, with their labels", () => {
    assert.deepStrictEqual(csv(read(TEXT)).split("\r\n").slice(0, 3), [
      "Figure,Labels,Value",
      "process_uptime_seconds,,12.5",
      "mcp_server_tools,server=a,3"
    ])
  })
})
