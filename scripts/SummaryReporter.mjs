/**
 * A vitest reporter that writes `{"passed":N,"failed":N}` to the file that `BOOCODE_TEST_SUMMARY` names.
 *
 * A test that was skipped or is still to do counts as failed; one that a name pattern left out does not count.
 */
import { writeFileSync } from "node:fs"
import process from "node:process"

export default class SummaryReporter {
  #pattern

  onInit(vitest) {
    this.#pattern = vitest.config.testNamePattern
  }

  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]).filter((test) => this.#isWanted(test))
    const passed = tests.filter((test) => test.result().state === "passed").length
    const broken = modules.flatMap((module) => [module, ...module.children.allSuites()])
      .filter((task) => task.errors().length > 0).length
    const failed = tests.length - passed + broken + unhandledErrors.length
    const file = process.env.BOOCODE_TEST_SUMMARY
    if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failed }))
  }

  #isWanted(test) {
    return this.#pattern === undefined || this.#pattern.test(test.fullName.replaceAll(" > ", " "))
  }
}
