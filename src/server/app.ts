import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Clock } from "../kube/index.ts";
import { type About, idIn, type Watched } from "../observe/index.ts";
import type { Operation } from "../progress/index.ts";
import { accessRequestOf } from "./access-requests.ts";
import { answer } from "./answer.ts";
import type { AccessRequest, Authorizer } from "./authorize.ts";
import { tokenOf } from "./caller.ts";
import { addClusterRoutes, answerError, type ClusterParts } from "./cluster-routes.ts";
import { curveOf } from "./curve.ts";
import { isKnownHost } from "./hosts.ts";
import type { Metrics } from "./metrics.ts";
import { isPagePath, type Page, servePage } from "./page.ts";
import { whileAllowed } from "./rights.ts";
import type { StreamHub } from "./stream-hub.ts";

/** What the routes need. */
export interface AppOptions {
  readonly observer: Pick<Watched, "operations" | "operation" | "tracked">;
  readonly hub: StreamHub;
  readonly metrics: Metrics;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  /** Host names besides the loopback ones; `*` takes any. */
  readonly hosts: readonly string[];
  /** Whether every kind has been listed once. */
  readonly isReady: () => boolean;
  /** The built page; without it there is only the API. */
  readonly page?: Page | undefined;
  /** What may be asked of the clusters and done in them; nothing when there are none. */
  readonly clusters: ClusterParts;
}

/** The longest body that is read: an object that the page makes is a few hundred bytes. */
const maxBodyBytes = 100_000;

/** The routes of the server. No other site may read along, so there are no CORS headers. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    if (!isProbe(c.req.path) && !isKnownHost(c.req.header("host"), options.hosts)) {
      return answer(421, "HOST", "this server does not answer to that host name");
    }
    await next();
    c.header("x-content-type-options", "nosniff");
    const { headers } = c.res;
    if (!headers.has("content-security-policy"))
      c.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
    if (!headers.has("cache-control")) c.header("cache-control", "no-store");
    return undefined;
  });
  app.use(async (c, next) => {
    if (isOpen(c.req.path, options)) return next();
    const request = accessRequestOf(c.req.method, c.req.path, c.req.query("namespace"));
    const refused = await refusal(options.authorizer, tokenOf(c.req.raw), request ?? { path: c.req.path });
    // Whoever is known learns what is wrong with the path; nobody else learns anything.
    if (!request && refused?.status !== 401 && refused?.status !== 503)
      return answer(400, "PATH", "the path contains an invalid escape");
    return refused ?? next();
  });
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => answer(413, "TOO_LONG", `a body has at most ${maxBodyBytes} bytes`),
    }),
  );
  addReads(app, options);
  if (options.clusters.size > 0) addClusterRoutes(app, options.clusters, options.observer);
  const { page } = options;
  if (page) {
    app.get("*", async (c, next) =>
      isPagePath(c.req.path) ? ((await servePage(page, c.req.raw)) ?? next()) : next(),
    );
  }
  app.notFound(() => answer(404, "NOT_FOUND", "not found"));
  app.onError(answerError);
  return app;
}

function addReads(app: Hono, options: AppOptions): void {
  const { observer, hub, metrics } = options;
  app.get("/healthz", (c) => c.text("ok\n"));
  app.get("/readyz", (c) =>
    options.isReady() ? c.text("ok\n") : c.text("still reading the cluster\n", 503),
  );
  const parts = [...options.clusters.values()];
  app.get("/api/about", (c) =>
    c.json({
      writes: parts.some(({ writes }) => writes),
      objects: parts.length > 0,
      several: parts.length > 1,
    } satisfies About),
  );
  app.get("/api/operations", (c) => c.json({ operations: select(options, (name) => c.req.query(name)) }));
  app.get("/api/operations/:namespace/:kind/:name/:part?", (c, next) => {
    const { namespace, kind, name, part } = c.req.param();
    const id = idIn(c.req.query("cluster"), `${kind.toLowerCase()}/${namespace}/${name}`);
    if (part !== undefined && part !== "curve") return next();
    const tracked = part === "curve" ? observer.tracked(id) : undefined;
    if (tracked) return Promise.resolve(c.json(curveOf(tracked)));
    const found = observer.operation(id);
    if (found && part === undefined) return Promise.resolve(c.json(found));
    return Promise.resolve(answer(404, "NOT_FOUND", `there is no ${kind} "${namespace}/${name}"`));
  });
  app.get("/api/stream", (c) => {
    const last = c.req.header("last-event-id") ?? c.req.query("last-event-id");
    const [token, request] = [
      tokenOf(c.req.raw),
      accessRequestOf("GET", c.req.path, c.req.query("namespace")),
    ];
    const ask = async () => request !== undefined && (await options.authorizer.check(token, request)) === 200;
    const allowed = (end: () => void) => whileAllowed(ask, options.clock, end);
    return c.body(hub.open(last, c.req.query("namespace"), allowed), 200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
  });
  app.get("/metrics", (c) =>
    c.body(metrics.text(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
  );
}

/** For probes, which come without a token and by address. */
function isProbe(path: string): boolean {
  return path === "/healthz" || path === "/readyz";
}

/** The page itself holds no data; what it may be used for is no secret either. */
function isOpen(path: string, { page }: AppOptions): boolean {
  return isProbe(path) || path === "/api/about" || (page !== undefined && isPagePath(path));
}

async function refusal(
  authorizer: Authorizer,
  token: string | undefined,
  request: AccessRequest,
): Promise<Response | undefined> {
  try {
    const status = await authorizer.check(token, request);
    if (status === 200) return undefined;
    return status === 401
      ? answer(401, "UNAUTHORIZED", "a valid bearer token is required")
      : answer(403, "FORBIDDEN", refusedWords(request));
  } catch {
    // Nobody can be let in when nobody can say who they are.
    return answer(503, "UNAVAILABLE", "cannot ask the cluster who may read operations");
  }
}

function refusedWords(request: AccessRequest): string {
  if ("path" in request) return `this token may not read ${request.path}`;
  const { verb, resource = "operations", namespace } = request;
  return `this token may not ${verb} ${resource}${namespace ? ` in namespace "${namespace}"` : ""}`;
}

function select(
  { observer }: AppOptions,
  query: (name: "namespace" | "kind" | "state" | "cluster") => string | undefined,
): readonly Operation[] {
  const [namespace, kind, state] = [query("namespace"), query("kind"), query("state")];
  const cluster = query("cluster");
  return observer
    .operations()
    .filter(
      ({ ref, state: is }) =>
        (namespace === undefined || ref.namespace === namespace) &&
        (cluster === undefined || ref.cluster === cluster) &&
        (kind === undefined || ref.kind.toLowerCase() === kind.toLowerCase()) &&
        (state === undefined || state.split(",").includes(is)),
    );
}
