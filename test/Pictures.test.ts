/** Every view as it looks, compared with the pictures that are kept of it. `pnpm pictures` renews them. */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import * as Camera from "./pictures/Camera.ts"
import * as References from "./pictures/References.ts"
import { layers, Stage } from "./pictures/Stage.ts"
import * as Views from "./pictures/Views.ts"
import * as Deadline from "./support/Deadline.ts"
import { accessibility, nothing, on } from "./support/PageStage.ts"
import { IS_LONG } from "./support/Size.ts"

/** Opens the view and waits until all of it is there. */
const open = Effect.fnUntraced(function*({ before, chat, isStranger, locale, path, then }: Views.View) {
  const { chats, cookie, ...scene } = yield* Stage
  const at = chat === undefined ? path : `chat/${chats.get(chat)}`
  const shown = cookie === undefined || isStranger === true ? scene : { ...scene, cookie }
  const page = yield* Camera.open(shown, `/#/${at}`, { before, ...(locale === undefined ? {} : { locale }) })
  yield* on(() => page.locator("h1, h2").first().waitFor())
  yield* on(() => then?.(page) ?? Promise.resolve())
  yield* on(() => page.waitForFunction("document.querySelector('.spinner') === null"))
  return page
})

const compare = Effect.fnUntraced(function*(page: Page, name: string, size: Camera.Size, theme: Camera.Theme) {
  const { dataDir } = yield* Stage
  yield* on(() => Camera.look(page, size, theme))
  const png = yield* on(() => Camera.take(page, dataDir))
  const found = yield* on(() => References.difference(`${name}/${size[0]}-${theme}`, png))
  return found === null ? [] : [found]
})

const compareAll = Effect.fnUntraced(function*(page: Page, view: Views.View) {
  const pairs = Camera.SIZES.flatMap((size) => Camera.THEMES.map((theme) => [size, theme] as const))
  return (yield* Effect.forEach(pairs, ([size, theme]) => compare(page, view.name, size, theme))).flat()
})

/** What sticks out of a page that is written from right to left, and what did not move to its other side. */
const MIRRORED = `(() => {
  const side = document.querySelector(".sidebar")?.getBoundingClientRect()
  const heading = document.querySelector(".panel h2")
  const wide = document.documentElement.scrollWidth
  return [
    ...(wide > innerWidth ? ["the page is " + wide + " pixels wide"] : []),
    ...(innerWidth > 900 && side !== undefined && side.right !== innerWidth ? ["the sidebar ends at " + side.right] : []),
    ...(heading !== null && getComputedStyle(heading).textAlign === "start" ? ["a heading begins at the left"] : [])
  ]
})()`

const mirrored = Effect.fnUntraced(function*(page: Page, name: string) {
  yield* on(() => page.evaluate("document.documentElement.dir = 'rtl'"))
  const found = yield* Effect.forEach(["light", "dark"] as const, (theme, index) =>
    on(async () => {
      await Camera.look(page, Camera.SIZES[index === 0 ? 0 : 2], theme)
      // A sidebar that comes back with the width may still be on its way.
      const sound = page.waitForFunction(`${MIRRORED}.length === 0`, undefined, { timeout: Deadline.WAIT_MILLIS })
      await sound.catch(() => null)
      return page.evaluate<ReadonlyArray<string>>(MIRRORED)
    }))
  return found.flat().map((problem) => `${name}: ${problem}`)
})

const audited = Effect.fnUntraced(function*(page: Page) {
  const found = yield* Effect.forEach(
    ["light", "dark"] as const,
    (theme, index) =>
      Effect.andThen(on(() => Camera.look(page, Camera.SIZES[index === 0 ? 0 : 2], theme)), accessibility(page))
  )
  return found.flat()
})

const GROUPS = [
  ["of a person who works", layers.team, Views.TEAM],
  ["of a server of several people", layers.people, Views.PEOPLE],
  ["of a server on which nothing is set up", layers.fresh, Views.NEW]
] as const

if (IS_LONG) {
  describe.each(GROUPS)("the views %s", Deadline.TEST, (_, stage, views) => {
    layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
      for (const view of views) {
        it.effect(`${view.name} looks as its pictures, is accessible, and works from right to left`, () =>
          Effect.gen(function*() {
            const page = yield* open(view)
            if (yield* References.isComparable) nothing(yield* compareAll(page, view))
            if (References.IS_RENEWING) return
            nothing(yield* audited(page))
            nothing(yield* mirrored(page, view.name))
          }))
      }
    })
  })
} else {
  describe("the views", Deadline.TEST, () => {
    layer(layers.team, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
      it.effect("look as the pictures that are kept of them, and work from right to left", () =>
        Effect.gen(function*() {
          const isComparable = yield* References.isComparable
          const wrong: Array<string> = []
          for (const [name, size, theme] of Views.FEW) {
            const view = Views.TEAM.find((one) => one.name === name) ?? assert.fail(`no view ${name}`)
            wrong.push(
              ...yield* Effect.scoped(Effect.gen(function*() {
                const page = yield* open(view)
                const found = isComparable ? yield* compare(page, name, Camera.SIZES[size], theme) : []
                return [...found, ...yield* mirrored(page, name)]
              }))
            )
          }
          nothing(wrong)
        }))
    })
  })
}
