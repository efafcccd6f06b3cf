/** The files of `deploy/` for a fleet name what is there, and fit each other and the program. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import * as Command from "./support/Command.ts"

const read = (...names: ReadonlyArray<string>) => readFileSync(join(Command.CHECKOUT, ...names), "utf8")

const require = createRequire(join(Command.CHECKOUT, "packages", "mcp-config", "package.json"))
/** The parser that configurations in YAML are read with. */
const yaml: {
  readonly parseAllDocuments: (text: string, options: { readonly merge: boolean }) => ReadonlyArray<
    { readonly errors: ReadonlyArray<unknown>; readonly toJS: () => Document }
  >
} = require("yaml")

/** What a test asks of a document; a wrong shape is a failed assertion. */
// oxlint-disable-next-line no-explicit-any -- documents of other programs
type Document = any

const documents = (name: string): ReadonlyArray<Document> =>
  yaml.parseAllDocuments(read("deploy", name), { merge: true }).map((document) => {
    assert.deepStrictEqual(document.errors, [])
    return document.toJS()
  })

const SERVE = ["serve", "--fleet", "--host", "0.0.0.0", "--port", "4266"]
const settings = read("apps", "chat-server", "src", "fleet", "FleetSettings.ts")
const single = documents("compose.yaml")[0]

describe("The compose file of a fleet", () => {
  const [file] = documents("compose.fleet.yaml")
  const nodes = Object.entries<Document>(file.services).filter(([name]) => name.startsWith("node-"))

  it("starts three nodes as the file of one server starts that, which share what agents write and nothing else", () => {
    assert.lengthOf(nodes, 3)
    for (const [, node] of nodes) {
      assert.deepStrictEqual(node.command, SERVE)
      for (const key of ["entrypoint", "build", "read_only", "cap_drop", "security_opt", "stop_grace_period"]) {
        assert.deepStrictEqual(node[key], single.services.boocode[key], key)
      }
      assert.include(node.tmpfs[1], node.environment.BOOCODE_STATE_DIR)
      assert.deepStrictEqual(node.volumes, ["workspace:/data/workspace"])
    }
    assert.deepStrictEqual(file.services.postgres, single.services.postgres)
  })

  it("sends requests to every node that is ready, through a proxy that holds no stream back", () => {
    const proxy: string = file.configs.proxy.content
    for (const [name] of nodes) assert.include(proxy, `${name}:4266`)
    assert.include(proxy, "health_uri /api/health?ready=1")
    assert.include(proxy, "flush_interval -1")
    assert.sameMembers(file.services.proxy.depends_on, nodes.map(([name]) => name))
  })

  it("makes the secrets that a node asks for", () => {
    const made = [...read("deploy", "compose.fleet.yaml").matchAll(/(BOOCODE_\w+)=%s/g)].map(([, name]) => name)
    assert.deepStrictEqual(made, ["BOOCODE_TOKEN", "BOOCODE_SECRET", "BOOCODE_FLEET_SECRET"])
    assert.include(settings, "BOOCODE_FLEET_SECRET")
  })
})

describe("The manifests for Kubernetes", () => {
  const all = documents("kubernetes.yaml")
  const of = (kind: string): Document => all.find((one) => one.kind === kind)
  const { replicas, selector, template } = of("Deployment").spec
  const [container] = template.spec.containers

  it("run three nodes as the image does, whose address is that of their pod", () => {
    assert.strictEqual(replicas, 3)
    assert.deepStrictEqual(container.args, SERVE)
    const address = container.env.find(({ name }: Document) => name === "BOOCODE_FLEET_ADDRESS").value
    const port = container.ports.find(({ name }: Document) => name === "fleet").containerPort
    assert.strictEqual(address, `$(POD_IP):${port}`)
    assert.include(settings, `DEFAULT_PORT = ${port}`)
    assert.isAtLeast(template.spec.terminationGracePeriodSeconds, 10)
  })

  it("name what is there: labels, ports, volumes and secrets fit each other", () => {
    assert.deepStrictEqual(selector.matchLabels, template.metadata.labels)
    assert.deepStrictEqual(of("Service").spec.selector, template.metadata.labels)
    assert.deepStrictEqual(of("NetworkPolicy").spec.podSelector.matchLabels, template.metadata.labels)
    const ports = container.ports.map(({ name }: Document) => name)
    assert.deepStrictEqual(ports, ["http", "fleet"])
    assert.strictEqual(of("Service").spec.ports[0].targetPort, "http")
    for (const probe of [container.livenessProbe, container.readinessProbe]) {
      assert.strictEqual(probe.httpGet.port, "http")
      assert.isTrue(read("docs", "operation.md").includes(`GET ${probe.httpGet.path}\``), probe.httpGet.path)
    }
    assert.sameMembers(
      [...new Set(container.volumeMounts.map(({ name }: Document) => name))],
      template.spec.volumes.map(({ name }: Document) => name)
    )
    const [claim] = template.spec.volumes.filter((volume: Document) => volume.persistentVolumeClaim !== undefined)
    assert.strictEqual(claim.persistentVolumeClaim.claimName, of("PersistentVolumeClaim").metadata.name)
    const secret = container.envFrom[0].secretRef.name
    assert.include(read("deploy", "kubernetes.yaml"), `kubectl create secret generic ${secret}`)
  })

  it("let nodes alone talk to nodes, without root on a file system that is read-only", () => {
    const rules = of("NetworkPolicy").spec.ingress
    const fleet = rules.filter(({ ports }: Document) => ports.some(({ port }: Document) => port === "fleet"))
    assert.lengthOf(fleet, 1)
    assert.deepStrictEqual(fleet[0].from[0].podSelector.matchLabels, template.metadata.labels)
    assert.isTrue(template.spec.securityContext.runAsNonRoot)
    assert.isTrue(container.securityContext.readOnlyRootFilesystem)
    const written = container.volumeMounts.map(({ mountPath }: Document) => mountPath)
    assert.includeMembers(written, ["/data", "/tmp", "/state"])
    const shared = container.volumeMounts.filter(({ name }: Document) => name === "shared")
    assert.deepStrictEqual(
      shared.map(({ mountPath }: Document) => mountPath),
      ["/data/workspace"]
    )
  })
})
