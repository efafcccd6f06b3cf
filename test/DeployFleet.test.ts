/** The files of `deploy/` for a fleet name what is there, and fit each other and the program. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import * as ChatServer from "./support/ChatServer.ts"
import * as Command from "./support/Command.ts"
import { IS_LONG } from "./support/Size.ts"

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

/** Runs a program to its end, ten minutes at most. Its code is null where the machine has not got it. */
const ran = (program: string, args: ReadonlyArray<string>) => {
  const { signal, status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", timeout: 600_000 })
  return { code: status, text: `${stdout ?? ""}${stderr ?? ""}`, signal }
}

const succeed = (program: string, args: ReadonlyArray<string>): string => {
  const { code, text } = ran(program, args)
  assert.strictEqual(code, 0, `${program} ${args.join(" ")}: ${text.slice(-3000)}`)
  return text
}

/** Whether a program does its work here. Says plainly that a file was not tried where it does not. */
const has = (file: string, program: string, ...args: ReadonlyArray<string>): boolean => {
  if (ran(program, args).code === 0) return true
  console.warn(`NOT RUN: ${file} was only read, because "${program} ${args.join(" ")}" does not succeed here`)
  return false
}

// They build an image and fetch others.
if (IS_LONG) {
  describe("Where the machine has what it takes", { timeout: 1_800_000 }, () => {
    it.live("the compose file starts three nodes that answer behind their proxy", () =>
      Effect.gen(function*() {
        if (!has("deploy/compose.fleet.yaml", "docker", "info")) return
        const folder = yield* Command.folder({ "packed/.keep": "", "postgres.password": "a-password-of-the-test" })
        cpSync(join(Command.CHECKOUT, "deploy", "Dockerfile"), join(folder, "Dockerfile"))
        // The context of the build is the folder of the packages, and the Dockerfile is above it.
        const text = read("deploy", "compose.fleet.yaml").replace("127.0.0.1:4266:4266", "127.0.0.1::4266")
        writeFileSync(join(folder, "compose.yaml"), text)
        const secret = "a secret of the test that is long enough"
        const variables = { BOOCODE_TOKEN: secret, BOOCODE_SECRET: secret, BOOCODE_FLEET_SECRET: secret }
        writeFileSync(
          join(folder, ".env"),
          Object.entries(variables).map(([name, value]) => `${name}=${value}\n`).join("")
        )
        succeed(process.execPath, [join(Command.CHECKOUT, "scripts", "Build.mjs"), "--pack", join(folder, "packed")])
        const project = [
          "compose",
          "--project-name",
          `boocode-test-${process.pid}`,
          "--file",
          join(folder, "compose.yaml")
        ]
        const compose = (...args: ReadonlyArray<string>) => succeed("docker", [...project, ...args])
        yield* Effect.acquireUseRelease(
          Effect.sync(() => ran("docker", [...project, "up", "--detach", "--build"])),
          ({ code, text }) =>
            Effect.gen(function*() {
              assert.strictEqual(code, 0, text.slice(-3000))
              const url = `http://${compose("port", "proxy", "4266").trim()}`
              const asked = Effect.promise(() =>
                fetch(`${url}/api/fleet`, { headers: { authorization: `Bearer ${secret}` } })
                  .then((answer) => answer.text(), String)
              )
              const isReady = (answer: string) => answer.split("\"state\":\"ready\"").length === 4
              const answer = yield* ChatServer.until(asked, isReady, 300_000)
              assert.isTrue(isReady(answer), `${answer}\n${ran("docker", [...project, "logs", "--tail", "50"]).text}`)
            }),
          () => Effect.sync(() => ran("docker", [...project, "down", "--volumes", "--timeout", "20"]))
        )
      }).pipe(Effect.scoped))

    it("a cluster takes the manifests", () => {
      if (!has("deploy/kubernetes.yaml", "kubectl", "cluster-info")) return
      succeed("kubectl", [
        "apply",
        "--dry-run=server",
        "--filename",
        join(Command.CHECKOUT, "deploy", "kubernetes.yaml")
      ])
    })
  })
}
