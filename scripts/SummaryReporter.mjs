/**
 * A vitest reporter that writes `{"passed":N,"failed":N,"again":[...]}` to the file that `BOOCODE_TEST_SUMMARY` names. `again` has the
 * files with failures, each with its counts. It is empty where an error belongs to no file.
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
    const files = modules.map((module) => this.#countsOf(module))
    const sum = (key) => files.reduce((total, counts) => total + counts[key], 0)
    const again = unhandledErrors.length > 0 ? [] : files.filter(({ failed }) => failed > 0)
    const summary = { passed: sum("passed"), failed: sum("failed") + unhandledErrors.length, again }
    const file = process.env.BOOCODE_TEST_SUMMARY
    if (file !== undefined) writeFileSync(file, JSON.stringify(summary))
  }

  #countsOf(module) {
    const tests = [...module.children.allTests()].filter((test) => this.#isWanted(test))
    const passed = tests.filter((test) => test.result().state === "passed").length
    const broken = [module, ...module.children.allSuites()].filter((task) => task.errors().length > 0).length
    return { file: module.relativeModuleId, passed, failed: tests.length - passed + broken }
  }

  #isWanted(test) {
    return this.#pattern === undefined || this.#pattern.test(test.fullName.replaceAll(" > ", " "))
  }
}
