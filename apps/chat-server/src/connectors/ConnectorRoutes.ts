/** How connectors sign in: the documents that tell how, the authorization server, and the page on which a person says yes. */
import { FIRST } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { Access } from "../access/Access.ts"
import * as FailureLimit from "../access/FailureLimit.ts"
import { ClientProfiles } from "../clients/ClientProfiles.ts"
import * as LoginCallback from "../services/LoginCallback.ts"
import * as ConnectorProvider from "./ConnectorProvider.ts"
import { Connectors, type ConnectorsService } from "./Connectors.ts"
import * as ConsentPage from "./ConsentPage.ts"

/** No routes where connectors cannot sign in: a client that looks for the documents hears that there are none. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { service } = yield* Connectors
  if (service === null) return
  const request = HttpServerRequest.HttpServerRequest
  const handled = Effect.flatMap(request, service.handle)
  const registrations = FailureLimit.make()
  const limited = Effect.flatMap(request, (one) =>
    Effect.flatMap(
      registrations.failed(Option.getOrElse(one.remoteAddress, () => "")),
      (wait) => wait === null ? handled : Effect.succeed(tooMany(wait))
    ))
  for (const path of ["", "/mcp"]) {
    yield* router.add("GET", `${RESOURCE}${path}`, Effect.sync(() => document(service.metadata(null))))
  }
  yield* router.add(
    "GET",
    `${RESOURCE}/mcp/:profile`,
    Effect.map(HttpRouter.params, ({ profile = "" }) => document(service.metadata(profile)))
  )
  for (const path of ConnectorProvider.METADATA) yield* router.add("GET", path, handled)
  const { authorization, jwks, registration, revocation, token } = ConnectorProvider.ROUTES
  yield* router.add("GET", authorization, handled)
  yield* router.add("POST", authorization, handled)
  yield* router.add("GET", `${authorization}/:uid`, handled)
  yield* router.add("GET", jwks, handled)
  yield* router.add("POST", token, handled)
  yield* router.add("POST", revocation, handled)
  yield* router.add("POST", registration, limited)
  const consent: Consents = { service, profiles: yield* ClientProfiles, access: yield* Access }
  const path: `/${string}` = "/oauth/consent/:uid"
  yield* router.add("GET", path, Effect.flatMap(request, (one) => shown(consent, one, null)))
  yield* router.add("POST", path, Effect.flatMap(request, (one) => decided(consent, one)))
}))

interface Consents {
  readonly service: ConnectorsService
  readonly profiles: typeof ClientProfiles.Service
  readonly access: typeof Access.Service
}

const RESOURCE = "/.well-known/oauth-protected-resource"

const document = (told: object) => HttpServerResponse.jsonUnsafe(told, { headers: { "cache-control": "no-store" } })

const tooMany = (wait: number) =>
  HttpServerResponse.jsonUnsafe(
    { error: "temporarily_unavailable", error_description: `too many clients register: wait ${wait} s` },
    { status: 429, headers: { "retry-after": String(wait), "cache-control": "no-store" } }
  )

/** The person at the browser; null for nobody yet, undefined on a server without people. */
const atBrowser = ({ access }: Consents, request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function*() {
    if (!(yield* access.hasUsers)) return undefined
    const by = yield* access.known(request)
    // A token of a person is no person.
    return by === null || by.scopes !== null ? null : by.user
  })

const shown = Effect.fnUntraced(function*(
  consents: Consents,
  request: HttpServerRequest.HttpServerRequest,
  problem: string | null
) {
  const asked = yield* consents.service.asked(request)
  if (asked === null) return nobody
  const profile = yield* Effect.option(consents.profiles.get(asked.profile))
  const person = yield* atBrowser(consents, request)
  const consent = {
    ...asked,
    problem,
    person: person === null || person === undefined ? person : person.name,
    may: MAY[Option.isSome(profile) ? profile.value.write : "off"]
  }
  return HttpServerResponse.text(ConsentPage.bodyOf(consent), {
    status: problem === null ? 200 : 403,
    contentType: "text/html; charset=utf-8",
    headers: ConsentPage.headersOf(consent)
  })
}, Effect.catchTag("UsersFailed", ({ message }) => Effect.succeed(unreadable(message))))

const MAY = {
  off: "it can call tools that read, and none that write.",
  ask: "it can call tools that read. You are asked before one writes.",
  rules: "it can call tools, and those that write as your rules say."
}

/** Only a form of the page may decide: for the person who is signed in, or, on a server without people, with its token. */
const decided = Effect.fnUntraced(function*(consents: Consents, request: HttpServerRequest.HttpServerRequest) {
  const { access, service } = consents
  const form = new URLSearchParams(yield* Effect.orElseSucceed(request.text, () => ""))
  const isYes = form.get("answer") === "yes"
  const person = yield* atBrowser(consents, request)
  if (isYes && person === null) return yield* shown(consents, request, NOBODY)
  const refusal = isYes && person === undefined
    ? yield* Effect.flip(access.verify(request, form.get("token") ?? "")).pipe(Effect.option)
    : Option.none()
  if (Option.isSome(refusal)) {
    const wait = refusal.value._tag === "WrongToken" ? refusal.value.wait : null
    return yield* shown(consents, request, wait === null ? WRONG : `${WRONG} Wait ${wait} s before the next try.`)
  }
  const next = yield* service.decide(request, isYes ? (person ?? FIRST).id : null)
  return next === null
    ? nobody
    : HttpServerResponse.redirect(next, { status: 303, headers: { "cache-control": "no-store" } })
}, Effect.catchTag("UsersFailed", ({ message }) => Effect.succeed(unreadable(message))))

const WRONG = "This is not the token of this server. It was printed when the server first started."
const NOBODY = "You are not signed in to BooCode in this browser."

const unreadable = (message: string) => HttpServerResponse.text(`${message}\n`, { status: 503 })

const page = LoginCallback.makePage(
  400,
  "No sign-in waits for this",
  "It was answered already, took longer than 10 minutes, or was begun in another browser.",
  "Begin it again in the application."
)

const nobody = HttpServerResponse.text(page.body, {
  status: page.status,
  headers: page.headers,
  contentType: page.headers["content-type"]
})
