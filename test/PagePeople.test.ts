/** Sign-in, invitations, people and a person's own account in the page. */
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import { accessibility, field, nothing, on, openBeside, PageStage, soon } from "./support/PageStage.ts"
import * as Pty from "./support/Pty.ts"

const stage = PageStage.layer({
  servers: { echo: FixtureServer.entry("Echo") },
  files: {},
  settings: { approvals: { ask: ["view_file"] } }
})

const PASSWORD = "correct horse battery"
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const

const heading = (page: Page, name: string) => on(() => page.getByRole("heading", { name, exact: true }).waitFor())
const press = (page: Page, name: string) => on(() => page.getByRole("button", { name, exact: true }).click())
const type = (page: Page, label: string, text: string) =>
  on(() =>
    page.getByRole("textbox", { name: label, exact: true }).or(page.getByLabel(label, { exact: true })).fill(text)
  )

/** What a browser says of answers that refuse it: the page asks for that. */
const wanted = (complaints: ReadonlyArray<string>) =>
  complaints.filter((one) => !/status of (401|404|403|409)|^Clear-Site-Data header/.test(one))

describe("people in the page", Deadline.TEST, () => {
  layer(stage, { excludeTestServices: true, timeout: Deadline.TEST.timeout })((it) => {
    it.effect("nothing tells of people until there are some; then they come by links, and see and end what is theirs", () =>
      Effect.gen(function*() {
        const { url } = yield* PageStage
        const owner = yield* openBeside("/#/settings", { bypassCSP: true })
        yield* on(() => owner.page.getByRole("heading", { name: "This server", exact: true }).waitFor())
        assert.strictEqual(yield* on(() => owner.page.getByRole("heading", { name: "People", exact: true }).count()), 0)
        yield* on(() => owner.page.goto(`${url}/#/settings/people`))
        yield* on(() => owner.page.getByText("This server has one person, and nobody signs in.").waitFor())
        yield* press(owner.page, "Add a person")
        yield* type(owner.page, "Name", "Ann")
        nothing(yield* accessibility(owner.page))
        yield* press(owner.page, "Create an invitation")
        const dialog = owner.page.getByRole("dialog", { name: "Invitation for Ann" })
        const link = yield* on(() => dialog.locator("code").innerText())
        yield* press(owner.page, "Done")
        yield* heading(owner.page, "Sign in")
        nothing(yield* accessibility(owner.page))

        const ann = yield* openBeside(new URL(link).hash.replace(/^/, "/"), { bypassCSP: true, ...PHONE })
        yield* heading(ann.page, "Welcome, Ann")
        nothing(yield* accessibility(ann.page))
        yield* type(ann.page, "Password", PASSWORD)
        yield* press(ann.page, "Set the password and sign in")
        yield* on(() => field(ann.page).waitFor())
        assert.notInclude(ann.page.url(), "invitation")
        yield* on(() => ann.page.goto(`${url}/#/settings/people`))
        yield* press(ann.page, "Add a person")
        yield* type(ann.page, "Name", "Bob")
        yield* type(ann.page, "Groups", "dev, ops")
        yield* press(ann.page, "Create an invitation")
        const bobs = yield* on(() => ann.page.getByRole("dialog").locator("code").innerText())
        yield* press(ann.page, "Done")
        const row = ann.page.getByRole("listitem", { name: "Bob" })
        yield* soon(
          () => row.innerText(),
          (text) => assert.match(text, /Member · dev · ops · invitation open until .* · has not signed in yet/)
        )
        nothing(yield* accessibility(ann.page))

        yield* type(owner.page, "Name", "ann")
        yield* type(owner.page, "Password", "a wrong password")
        yield* press(owner.page, "Sign in")
        yield* on(() => owner.page.getByText("name or password is wrong").waitFor())
        yield* type(owner.page, "Password", PASSWORD)
        yield* press(owner.page, "Sign in")
        yield* on(() => field(owner.page).waitFor())
        yield* on(() => owner.page.goto(`${url}/#/settings/account`))
        yield* on(() => owner.page.getByText("Signed in as Ann (admin)").waitFor())
        const sessions = owner.page.getByRole("region", { name: "Sessions" }).getByRole("listitem")
        assert.strictEqual(yield* on(() => sessions.count()), 2)
        assert.match(yield* on(() => sessions.nth(0).innerText()), /Chrome, Linux\s.*this browser/)
        yield* on(() => owner.page.getByRole("heading", { name: "Usage this month" }).waitFor())
        yield* on(() => owner.page.goto(`${url}/#/settings/audit`))
        yield* on(() => owner.page.getByText("No calls yet.").waitFor())
        nothing(yield* accessibility(owner.page))
        yield* on(() => owner.page.goto(`${url}/#/`))
        yield* on(() => field(owner.page).fill("/list_dir {\"path\": \".\"}"))
        yield* on(() => field(owner.page).press("Enter"))
        yield* on(() => owner.page.getByText("(the folder is empty)").waitFor())
        yield* on(() =>
          owner.page.locator("main").getByRole("button", { name: "More for this chat", exact: true }).click()
        )
        yield* on(() => owner.page.getByRole("menuitem", { name: "Share" }).click())
        const shown = yield* on(() => owner.page.getByRole("dialog").locator("code").innerText())
        nothing(yield* accessibility(owner.page))
        yield* on(() => owner.page.getByRole("dialog").getByRole("button", { name: "Done" }).click())
        yield* on(() => ann.page.goto(shown))
        yield* on(() => ann.page.getByText("Shared by Ann. You can read it.").waitFor())
        yield* on(() => ann.page.getByText("(the folder is empty)").waitFor())
        nothing(yield* accessibility(ann.page))
        yield* on(() => owner.page.goto(`${url}/#/settings/account`))
        yield* press(owner.page, "Create a token")
        yield* type(owner.page, "Name", "laptop")
        yield* on(() => owner.page.getByRole("checkbox", { name: "Tools for MCP clients, at /mcp" }).check())
        yield* on(() => owner.page.getByRole("dialog").getByRole("button", { name: "Create a token" }).click())
        const token = yield* on(() => owner.page.getByRole("dialog").locator("code").innerText())
        assert.match(token, /^boou_[\w-]{43}$/)
        yield* press(owner.page, "Done")
        const tokens = owner.page.getByRole("region", { name: "Tokens" })
        yield* on(() => tokens.getByText("Chats · Tools for MCP clients, at /mcp · never used").waitFor())
        nothing(yield* accessibility(owner.page))
        yield* on(() => sessions.nth(1).getByRole("button").click())
        yield* soon(() => sessions.count(), (count) => assert.strictEqual(count, 1))
        yield* on(() => ann.page.reload())
        yield* heading(ann.page, "Sign in")

        const bob = yield* openBeside(new URL(bobs).hash.replace(/^/, "/"), { bypassCSP: true })
        yield* press(bob.page, "Sign in on this browser only, without a password")
        yield* on(() => field(bob.page).waitFor())
        const machine = yield* Command.folder({})
        const env = { BOOCODE_STATE_DIR: join(machine, "state") }
        const terminal = yield* Pty.start(["login", url], { cwd: machine, env })
        yield* terminal.shows("The code works once")
        const code = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(terminal.screen())?.[0] ?? ""
        yield* on(() => bob.page.goto(`${url}/#/device`))
        yield* type(bob.page, "Code", "BBBB-BBBB")
        yield* press(bob.page, "Continue")
        yield* on(() => bob.page.getByText("no command waits with this code").waitFor())
        yield* type(bob.page, "Code", code.toLowerCase())
        nothing(yield* accessibility(bob.page))
        yield* press(bob.page, "Continue")
        yield* heading(bob.page, `${hostname()} asks to act for you`)
        nothing(yield* accessibility(bob.page))
        yield* press(bob.page, "Allow")
        yield* on(() => bob.page.getByText("Allowed. The command goes on").waitFor())
        assert.strictEqual(yield* terminal.exitCode, 0)
        assert.include(terminal.screen(), `you are Bob at ${url}`)
        assert.include(yield* Effect.sync(() => readFileSync(join(env.BOOCODE_STATE_DIR, "logins.json"), "utf8")), url)
        yield* on(() => bob.page.goto(`${url}/#/settings`))
        yield* on(() => bob.page.getByRole("link", { name: "Your account" }).waitFor())
        assert.strictEqual(yield* on(() => bob.page.getByRole("link", { name: "People" }).count()), 0)
        yield* on(() => bob.page.goto(`${url}/#/settings/people`))
        yield* on(() => bob.page.getByText("this is for the admins of this server").waitFor())
        for (const page of [bob.page, owner.page]) yield* on(() => page.goto(`${url}/#/servers`))
        yield* on(() => owner.page.getByRole("button", { name: "Add server" }).waitFor())
        assert.strictEqual(yield* on(() => bob.page.getByRole("button", { name: "Add server" }).count()), 0)
        const server = bob.page.getByRole("listitem", { name: /^echo/ })
        yield* on(() => server.getByRole("button").click())
        assert.deepStrictEqual(yield* on(() => bob.page.getByRole("menuitem").allInnerTexts()), ["Details"])
        yield* on(() => bob.page.goto(`${url}/#/`))
        yield* on(() => field(bob.page).fill("/view_file {\"path\": \"a\"}"))
        yield* on(() => field(bob.page).press("Enter"))
        yield* on(() => owner.page.goto(`${url}/#/settings/people`))
        yield* press(owner.page, "Deny view_file of Bob")
        yield* type(owner.page, "Reason", "not today")
        nothing(yield* accessibility(owner.page))
        yield* press(owner.page, "Deny")
        yield* on(() => bob.page.getByText("an admin denied it: not today").first().waitFor())
        yield* on(() => owner.page.getByText("No call waits for a yes.").waitFor())
        yield* on(() => owner.page.goto(`${url}/#/settings/usage`))
        const used = owner.page.getByRole("region", { name: "Usage by tool" })
        const rows = async () => {
          // Calls are counted a moment after their end.
          await owner.page.reload()
          await owner.page.getByRole("button", { name: "Tool", exact: true }).click()
          await used.getByRole("row", { name: /^list_dir 1 0 0/ }).waitFor()
          return used.getByRole("row", { name: /^view_file 1 0 1/ }).count()
        }
        yield* soon(rows, (count) => assert.strictEqual(count, 1))
        nothing(yield* accessibility(owner.page))
        yield* on(() => owner.page.goto(`${url}/#/servers/echo/edit`))
        yield* press(owner.page, "For: Add")
        yield* on(() => owner.page.getByRole("option", { name: "group:ops" }).waitFor())
        yield* on(() => owner.page.getByRole("option", { name: "Ann" }).click())
        yield* press(owner.page, "Save")
        yield* on(() => owner.page.getByText("Saved echo.").waitFor())
        yield* on(() => owner.page.goto(`${url}/#/servers`))
        yield* on(() => owner.page.getByRole("listitem", { name: /^echo/ }).getByText(/for Ann/).waitFor())
        yield* on(() => bob.page.goto(`${url}/#/servers`))
        yield* on(() => bob.page.getByRole("listitem", { name: /^echo/ }).waitFor({ state: "detached" }))
        yield* on(() => owner.page.goto(`${url}/#/settings/people`))
        yield* press(owner.page, "More about Bob")
        yield* on(() => owner.page.getByRole("menuitem", { name: "Remove" }).click())
        yield* press(owner.page, "Remove")
        yield* on(() => row.waitFor({ state: "detached" }))
        yield* on(() => bob.page.reload())
        yield* heading(bob.page, "Sign in")
        yield* on(() => owner.page.goto(`${url}/#/settings/account`))
        yield* on(() => owner.page.getByRole("button", { name: "New chat", exact: true }).click())
        yield* on(() => field(owner.page).fill("for nobody else"))
        const kept = () => owner.page.evaluate("JSON.stringify(localStorage)")
        yield* soon(kept, (text) => assert.include(text, "for nobody else"))
        yield* on(() => owner.page.goto(`${url}/#/settings/account`))
        yield* press(owner.page, "Sign out")
        yield* heading(owner.page, "Sign in")
        assert.strictEqual(yield* on(() => owner.page.evaluate("Object.keys(localStorage).join()")), "boocode.theme")
        assert.strictEqual(yield* on(() => owner.page.evaluate("caches.keys().then((all) => all.length)")), 0)
        for (const { complaints } of [owner, ann, bob]) nothing(wanted(complaints))
      }))
  })
})
