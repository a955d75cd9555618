import { type Api, parse } from "../api.ts";
import type { KubeObject } from "../object.ts";
import { apiVersionOf, type Resource } from "../resources.ts";
import { type ApiError, badRequest, expired } from "../status.ts";
import { type Change, Compacted } from "../store.ts";
import { partial, rowsOf, tableHead } from "../table.ts";
import { type Exchange, isOn, wholeNumber } from "./exchange.ts";
import type { ResourcePath } from "./path.ts";
import { type Filter, filterOf, includeObject, versionOf } from "./read.ts";

/** A watcher that does not read is cut off when this much waits for it; it comes back with its last resourceVersion. */
const backlogLimitBytes = 16 * 1024 * 1024;
const replayRows = 500;
const bookmarkMs = 60_000;

/** GET with `watch`: what happened since a version, then everything that happens. */
export async function watch(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const filter = filterOf(x, resource, path);
  const since = versionOf(x);
  const initial = initialEvents(x);
  const watcher = new Watcher(api, x, resource, path.namespace, filter);
  x.response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
  x.response.flushHeaders();
  try {
    if (initial === true || (initial === undefined && (since === undefined || since === 0))) {
      await watcher.present(initial === true);
    } else {
      await watcher.replay(
        initial === false && (since === undefined || since === 0) ? api.store.rev : (since ?? 0),
      );
    }
  } catch (error) {
    if (!(error instanceof Compacted)) throw error;
    watcher.error(expired(`too old resource version: ${since} (${api.store.compacted + 1})`));
    x.response.end();
    return;
  }
  await watcher.follow();
}

function initialEvents(x: Exchange): boolean | undefined {
  const text = x.url.searchParams.get("sendInitialEvents");
  const match = x.url.searchParams.get("resourceVersionMatch");
  if (text === null) {
    if (match)
      throw badRequest("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    return undefined;
  }
  if (match !== "NotOlderThan") {
    throw badRequest("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  return text === "true" || text === "1" || text === "";
}

class Watcher {
  readonly #api: Api;
  readonly #x: Exchange;
  readonly #resource: Resource;
  readonly #namespace: string | undefined;
  readonly #filter: Filter;
  readonly #verbatim: boolean;
  #sentTable = false;
  /** Everything up to here has been looked at. */
  #seen = 0;
  #closed = false;

  constructor(api: Api, x: Exchange, resource: Resource, namespace: string | undefined, filter: Filter) {
    this.#api = api;
    this.#x = x;
    this.#resource = resource;
    this.#namespace = namespace;
    this.#filter = filter;
    this.#verbatim = x.accepted.as === undefined && api.isVerbatim(resource);
  }

  /** Sends what is there now as if it had just been added. */
  async present(mark: boolean): Promise<void> {
    const at = this.#api.store.rev;
    const namespace = this.#namespace === undefined ? {} : { namespace: this.#namespace };
    let after: { namespace: string; name: string } | undefined;
    for (;;) {
      const rows = this.#api.store.list({
        resource: this.#resource.storage,
        ...namespace,
        ...(after && { after }),
        at,
        limit: replayRows,
      });
      for (const row of rows) {
        const object = this.#filter.all && this.#verbatim ? undefined : parse(row.value);
        if (!object || this.#filter.matches(object)) this.#send("ADDED", row.value, object);
      }
      const last = rows.at(-1);
      if (!last || rows.length < replayRows) break;
      after = { namespace: last.namespace, name: last.name };
      await this.#drained();
    }
    this.#seen = at;
    if (mark) this.#bookmark({ "k8s.io/initial-events-end": "true" });
    await this.replay(at);
  }

  /** Sends what happened after a revision, until there is nothing left. */
  async replay(since: number): Promise<void> {
    this.#seen = since;
    if (since > this.#api.store.rev) return;
    for (;;) {
      const changes = this.#api.store.changes(this.#resource.storage, this.#seen, replayRows);
      for (const change of changes) this.#offer(change);
      if (changes.length < replayRows) return;
      await this.#drained();
    }
  }

  /** Sends what happens from now on; ends with the connection, the timeout or the server. */
  async follow(): Promise<void> {
    const { response, signal } = this.#x;
    const timeoutSeconds = wholeNumber(this.#x, "timeoutSeconds") ?? 1800 + Math.random() * 1800;
    const bookmarks = isOn(this.#x, "allowWatchBookmarks");
    await new Promise<void>((done) => {
      // Nothing is awaited between the end of the replay and here, so no change is missed.
      const unsubscribe = this.#api.store.subscribe((change) => this.#offer(change));
      const timeout = setTimeout(() => stop(), timeoutSeconds * 1000);
      const beat = setInterval(() => bookmarks && this.#bookmark(), bookmarkMs);
      const stop = (): void => {
        unsubscribe();
        clearTimeout(timeout);
        clearInterval(beat);
        done();
      };
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      timeout.unref();
      beat.unref();
    });
    this.#closed = true;
    response.end();
  }

  /** Tells the client why the watch is over. */
  error(error: ApiError): void {
    this.#x.response.write(`${JSON.stringify({ type: "ERROR", object: error.status() })}\n`);
  }

  #offer(change: Change): void {
    if (this.#closed || change.resource !== this.#resource.storage || change.rev <= this.#seen) return;
    this.#seen = change.rev;
    if (this.#namespace !== undefined && change.namespace !== this.#namespace) return;
    if (this.#filter.all && this.#verbatim) return this.#send(change.type, change.value, undefined);
    const object = parse(change.value);
    const before = change.before !== undefined && this.#filter.matches(parse(change.before));
    const after = change.type !== "DELETED" && this.#filter.matches(object);
    const type = after ? (before ? "MODIFIED" : "ADDED") : before ? "DELETED" : undefined;
    if (type) this.#send(type, change.value, object);
  }

  #send(type: string, value: string, object: KubeObject | undefined): void {
    const { response } = this.#x;
    const text = this.#verbatim ? value : JSON.stringify(this.#shape(object ?? parse(value)));
    response.write(`{"type":"${type}","object":${text}}\n`);
    if (response.writableLength > backlogLimitBytes) response.destroy();
  }

  #shape(stored: KubeObject): unknown {
    const object = this.#api.convert(this.#resource, stored);
    const { as, version } = this.#x.accepted;
    if (as === "Table") {
      const head = tableHead(this.#resource, { resourceVersion: object.metadata.resourceVersion }, version);
      const columns = this.#sentTable ? { columnDefinitions: null } : {};
      this.#sentTable = true;
      return { ...head, ...columns, rows: rowsOf(this.#resource, [object], includeObject(this.#x)) };
    }
    return as?.startsWith("Partial") ? partial(object, version) : object;
  }

  #bookmark(annotations?: Record<string, string>): void {
    this.#seen = this.#api.store.rev;
    const object = {
      kind: this.#resource.kind,
      apiVersion: apiVersionOf(this.#resource),
      metadata: { resourceVersion: String(this.#seen), ...(annotations && { annotations }) },
    };
    this.#x.response.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }

  async #drained(): Promise<void> {
    const { response } = this.#x;
    if (!response.writableNeedDrain || response.destroyed) return;
    await new Promise<void>((done) => {
      response.once("drain", done);
      response.once("close", done);
    });
  }
}
