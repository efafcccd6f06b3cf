/** What the standard variables of OpenTelemetry come to. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as OtelVariables from "../../src/telemetry/OtelVariables.ts"

const read = (variables: OtelVariables.Variables) => {
  const { plan, problems } = OtelVariables.read(variables)
  const urls = Object.fromEntries(Object.entries(plan?.exports ?? {}).map(([signal, to]) => [signal, to.url]))
  return { plan, problems, urls }
}

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"

describe("What is exported", () => {
  it("is nothing without a variable that asks for it, or where all of it is off", () => {
    for (
      const variables of [
        {},
        { OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER: "always_on" },
        { [ENDPOINT]: "" },
        { [ENDPOINT]: "http://c:4318", OTEL_SDK_DISABLED: "TRUE" },
        { [ENDPOINT]: "http://c:4318", ...exporters("none") }
      ]
    ) assert.deepStrictEqual(OtelVariables.read(variables), { plan: null, problems: [] })
  })

  it("goes below the common address, or to the very address of its signal", () => {
    assert.deepStrictEqual(read({ [ENDPOINT]: "http://c:4318/otlp/" }).urls, {
      traces: "http://c:4318/otlp/v1/traces",
      metrics: "http://c:4318/otlp/v1/metrics",
      logs: "http://c:4318/otlp/v1/logs"
    })
    assert.deepStrictEqual(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t/in" }).urls, {
      traces: "https://t/in"
    })
    assert.deepStrictEqual(read({ OTEL_METRICS_EXPORTER: "otlp" }).urls, {
      metrics: "http://localhost:4318/v1/metrics"
    })
    assert.deepStrictEqual(read({ [ENDPOINT]: "http://c:1", OTEL_LOGS_EXPORTER: "none" }).urls, {
      traces: "http://c:1/v1/traces",
      metrics: "http://c:1/v1/metrics"
    })
  })

  it("takes of each signal what is its own before what is common", () => {
    const { plan, problems } = read({
      [ENDPOINT]: "http://c:4318",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20a%3Db, x-one=1",
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "x-two=2=3",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "900",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_BSP_SCHEDULE_DELAY: "100"
    })
    const { logs, metrics, traces } = plan?.exports ?? {}
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual([traces?.protocol, logs?.protocol], ["http/protobuf", "http/json"])
    assert.deepStrictEqual(traces?.headers, { authorization: "Basic a=b", "x-one": "1" })
    assert.deepStrictEqual(logs?.headers, { "x-two": "2=3" })
    assert.deepStrictEqual([traces?.timeoutMillis, metrics?.timeoutMillis], [500, 900])
    assert.deepStrictEqual([traces?.everyMillis, metrics?.everyMillis, logs?.compression], [100, 60_000, "gzip"])
  })

  it("bears the name of the service and its attributes", () => {
    const resource = (variables: OtelVariables.Variables) => {
      const { plan } = read({ [ENDPOINT]: "http://c", ...variables })
      return [plan?.resource.serviceName, plan?.resource.attributes]
    }
    assert.deepStrictEqual(resource({}), ["boocode", {}])
    const OTEL_RESOURCE_ATTRIBUTES = "service.name=other,a.b=c%20d"
    assert.deepStrictEqual(resource({ OTEL_RESOURCE_ATTRIBUTES }), ["other", { "a.b": "c d" }])
    assert.deepStrictEqual(resource({ OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: "mine" })[0], "mine")
  })
})

describe("What is wrong with the variables", () => {
  const cases = [
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /PROTOCOL=grpc is not supported, so traces are not exported/, 0],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "c:4317" }, /TRACES_ENDPOINT is no http or https address/, 2],
    [{ OTEL_TRACES_EXPORTER: "jaeger" }, /OTEL_TRACES_EXPORTER=jaeger is not supported/, 2],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: "soon" }, /TIMEOUT is ignored/, 3],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "a-secret" }, /HEADERS is not read whole/, 3],
    [{ OTEL_RESOURCE_ATTRIBUTES: "%zz=1" }, /OTEL_RESOURCE_ATTRIBUTES is not read whole/, 3],
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, /OTEL_TRACES_SAMPLER and its _ARG are ignored/, 3],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" }, /are ignored/, 3],
    [{ OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "some" }, /expected cumulative or delta/, 3]
  ] as const
  it.each(cases)("is said, and the rest is exported: %j", (variables, words, signals) => {
    const { plan, problems } = read({ [ENDPOINT]: "http://c:4318", ...variables })
    assert.match(problems.join("\n"), words)
    assert.notInclude(problems.join("\n"), "a-secret")
    assert.lengthOf(Object.keys(plan?.exports ?? {}), signals)
  })

  const names = [
    ENDPOINT,
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_TRACES_EXPORTER",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    "OTEL_SDK_DISABLED"
  ]
  const Word = Arbitrary.schema(Schema.String)
  const anything = Arbitrary.array(Word, { minLength: names.length, maxLength: names.length })
  it.prop("never keeps the server from starting, whatever they say", [anything], ([words]) => {
    const { plan } = OtelVariables.read(Object.fromEntries(names.map((name, at) => [name, words[at]])))
    for (const { url } of Object.values(plan?.exports ?? {})) assert.isTrue(URL.canParse(url))
  })
})

const exporters = (value: string) => ({
  OTEL_TRACES_EXPORTER: value,
  OTEL_METRICS_EXPORTER: value,
  OTEL_LOGS_EXPORTER: value
})
