/** How TypeDoc makes the reference of the packages that are published: `pnpm run reference`. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ReflectionKind } from "typedoc"

const packages = fileURLToPath(new URL("../packages", import.meta.url))

/** The imports of a program, by the file that each gets, below `packages`. */
const entries = new Map(
  readdirSync(packages).flatMap((folder) => {
    const { exports, name } = JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"))
    return Object.entries(exports).map(([path, file]) => [join(folder, file), `${name}${path.slice(1)}`])
  })
)

/** A module has the name that a program imports, in place of its path. */
const nameModules = (project) => {
  const names = new Map([...entries].map(([file, name]) => [file.replace(/(\/index)?\.ts$/, ""), name]))
  for (const module of project.children) module.name = names.get(module.name) ?? module.name
}

/**
 * `class X extends Context.Service<X, Shape>()`: a reader looks for the members of the shape. What else a class extends is
 * a type of Effect that says nothing, and nobody makes a service or an error with `new`.
 */
const showServices = (project) => {
  for (const service of project.getReflectionsByKind(ReflectionKind.Class)) {
    for (const member of service.extendedTypes?.[0]?.typeArguments?.[1]?.declaration?.children ?? []) {
      member.parent = service
      service.addChild(member)
    }
    delete service.extendedTypes
  }
  for (const made of project.getReflectionsByKind(ReflectionKind.Constructor)) project.removeReflection(made)
  for (const member of Object.values(project.reflections)) {
    delete member.inheritedFrom
    delete member.overwrites
  }
}

const plugin = ({ converter }) =>
  converter.on("resolveBegin", ({ project }) => {
    nameModules(project)
    showServices(project)
  })

export default {
  entryPoints: [...entries.keys()].map((file) => join(packages, file)),
  tsconfig: fileURLToPath(new URL("../scripts/tsconfig.build.json", import.meta.url)),
  plugin: ["typedoc-plugin-markdown", plugin],
  out: fileURLToPath(new URL("reference", import.meta.url)),
  name: "Reference",
  // `pnpm check` does that, with the compiler of the house.
  skipErrorChecking: true,
  // A type that a package does not export is shown by its name.
  validation: { notExported: false },
  excludeExternals: true,
  excludeInternal: true,
  readme: "none",
  entryFileName: "index",
  outputFileStrategy: "modules",
  disableSources: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table"
}
