/** The recorded answers of a registry in `test/fixtures`: good ones, and hostile ones by the end of their names. */
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import * as RegistryAnswer from "../../src/published/RegistryAnswer.ts"

const FIXTURES = new URL("../../../../test/fixtures/", import.meta.url)

/** The text of a file of `test/fixtures`. */
export const text = (file: string): string => readFileSync(new URL(file, FIXTURES), "utf8")

const page = (file: string) => {
  const read = RegistryAnswer.page(JSON.parse(text(file)))
  return Result.isSuccess(read) ? read.success : assert.fail(read.failure.detail)
}

const { servers } = page("registry/servers.json")

export const hostile = page("registry-hostile/servers.json")

export const published = (name: string): RegistryAnswer.PublishedServer =>
  [...servers, ...page("registry/memory.json").servers].findLast((one) => one.name.endsWith(`/${name}`)) ??
    assert.fail(`no ${name}`)
