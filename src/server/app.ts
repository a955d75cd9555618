import { Hono } from "hono";
import type { Observer } from "../observe/index.ts";
import type { Operation } from "../progress/index.ts";
import type { Authorizer, Wish } from "./authorize.ts";
import { isKnownHost } from "./hosts.ts";
import type { Metrics } from "./metrics.ts";
import type { StreamHub } from "./stream-hub.ts";

/** What the routes need. */
export interface AppOptions {
  readonly observer: Pick<Observer, "operations" | "operation">;
  readonly hub: StreamHub;
  readonly metrics: Metrics;
  readonly authorizer: Authorizer;
  /** Host names besides the loopback ones; `*` takes any. */
  readonly hosts: readonly string[];
  /** Whether every kind has been listed once. */
  readonly isReady: () => boolean;
}

/** The routes of the server. Reads only; no other site may read along, so there are no CORS headers. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    if (!isOpen(c.req.path) && !isKnownHost(c.req.header("host"), options.hosts)) {
      return answer(421, "HOST", "this server does not answer to that host name");
    }
    await next();
    c.header("x-content-type-options", "nosniff");
    c.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
    if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
    return undefined;
  });
  app.use(async (c, next) => {
    if (isOpen(c.req.path)) return next();
    const wish = wishOf(c.req.path, c.req.query("namespace"));
    const refused = await refusal(options.authorizer, tokenOf(c.req.raw), wish);
    return refused ?? next();
  });
  app.get("/healthz", (c) => c.text("ok\n"));
  app.get("/readyz", (c) =>
    options.isReady() ? c.text("ok\n") : c.text("the cluster is still being read\n", 503),
  );
  app.get("/api/operations", (c) => c.json({ operations: select(options, (name) => c.req.query(name)) }));
  app.get("/api/operations/:namespace/:kind/:name", (c) => {
    const { namespace, kind, name } = c.req.param();
    const found = options.observer.operation(`${kind.toLowerCase()}/${namespace}/${name}`);
    return found ? c.json(found) : answer(404, "NOT_FOUND", `there is no ${kind} "${namespace}/${name}"`);
  });
  app.get("/api/stream", (c) => {
    const last = c.req.header("last-event-id") ?? c.req.query("last-event-id");
    return c.body(options.hub.open(last, c.req.query("namespace")), 200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
  });
  app.get("/metrics", (c) =>
    c.body(options.metrics.text(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
  );
  app.notFound(() => answer(404, "NOT_FOUND", "there is nothing here"));
  app.onError(() => answer(500, "INTERNAL", "the server failed to answer"));
  return app;
}

/** For probes, which come without a token and by address. */
function isOpen(path: string): boolean {
  return path === "/healthz" || path === "/readyz";
}

function wishOf(path: string, queried: string | undefined): Wish {
  if (!path.startsWith("/api/")) return { path };
  const [, namespace] = /^\/api\/operations\/([^/]+)\//.exec(path) ?? [];
  if (namespace !== undefined) return { verb: "get", namespace: decodeURIComponent(namespace) };
  return { verb: path === "/api/stream" ? "watch" : "list", ...(queried && { namespace: queried }) };
}

async function refusal(
  authorizer: Authorizer,
  token: string | undefined,
  wish: Wish,
): Promise<Response | undefined> {
  try {
    const status = await authorizer.check(token, wish);
    if (status === 200) return undefined;
    return status === 401
      ? answer(401, "UNAUTHORIZED", "a bearer token is needed, and this is none that is known")
      : answer(403, "FORBIDDEN", "this token may not read these operations");
  } catch {
    // Nobody can be let in when nobody can say who they are.
    return answer(503, "UNAVAILABLE", "the cluster cannot be asked who may read operations");
  }
}

function tokenOf(request: Request): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "");
  return bearer?.[1] ?? new URL(request.url).searchParams.get("token") ?? undefined;
}

function select(
  { observer }: AppOptions,
  query: (name: "namespace" | "kind" | "state") => string | undefined,
): readonly Operation[] {
  const [namespace, kind, state] = [query("namespace"), query("kind"), query("state")];
  return observer
    .operations()
    .filter(
      ({ ref, state: is }) =>
        (namespace === undefined || ref.namespace === namespace) &&
        (kind === undefined || ref.kind.toLowerCase() === kind.toLowerCase()) &&
        (state === undefined || state.split(",").includes(is)),
    );
}

function answer(status: number, code: string, message: string): Response {
  const headers = {
    "content-type": "application/json",
    ...(status === 401 && { "www-authenticate": "Bearer" }),
  };
  return new Response(`${JSON.stringify({ error: { code, message } })}\n`, { status, headers });
}
