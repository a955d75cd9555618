import { type Api, parse } from "../api.ts";
import { at, type KubeObject, words } from "../object.ts";
import { apiVersionOf, type Resource } from "../resources.ts";
import {
  type FieldRequirement,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type Requirement,
} from "../selector.ts";
import { ApiError, badRequest, expired } from "../status.ts";
import { Compacted, type Row } from "../store.ts";
import { partial, rowsOf, tableHead } from "../table.ts";
import { type Exchange, send, wholeNumber } from "./exchange.ts";
import type { ResourcePath } from "./path.ts";

/** Rows read and written at a time: bounds the memory of a list of any length. */
const pageRows = 500;

/** Which objects a list or a watch is about. */
export interface Filter {
  readonly labels: readonly Requirement[];
  readonly fields: readonly FieldRequirement[];
  matches(object: KubeObject): boolean;
  /** True when nothing is filtered. */
  readonly all: boolean;
}

/** Reads the selectors of a request. */
export function filterOf(x: Exchange, resource: Resource, path: ResourcePath): Filter {
  const labels = parseLabelSelector(x.url.searchParams.get("labelSelector") ?? "");
  const fields = parseFieldSelector(x.url.searchParams.get("fieldSelector") ?? "").map((f) =>
    checked(f, resource),
  );
  const named = path.name === undefined ? [] : [{ path: "metadata.name", value: path.name, equal: true }];
  const every = [...fields, ...named];
  return {
    labels,
    fields: every,
    all: labels.length === 0 && every.length === 0,
    matches: (o) =>
      matchesLabels(labels, o.metadata.labels) &&
      every.every((f) => (words(at(o, f.path) ?? defaultOf(f.path)) === f.value) === f.equal),
  };
}

function defaultOf(path: string): string {
  return path === "spec.unschedulable" || path === "spec.hostNetwork"
    ? "false"
    : path === "status.successful"
      ? "0"
      : "";
}

const fieldLabels: Readonly<Record<string, string>> = {
  pods: "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork status.phase status.podIP status.nominatedNodeName",
  events:
    "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source type regarding.kind regarding.namespace regarding.name regarding.uid",
  secrets: "type",
  namespaces: "status.phase",
  nodes: "spec.unschedulable",
  "jobs.batch": "status.successful",
  "replicasets.apps": "status.replicas",
  replicationcontrollers: "status.replicas",
};

function checked(f: FieldRequirement, resource: Resource): FieldRequirement {
  const more = resource.custom?.selectableFields ?? (fieldLabels[resource.storage] ?? "").split(" ");
  if (f.path === "metadata.name" || more.includes(f.path)) return f;
  if (f.path === "metadata.namespace") return f;
  if (resource.custom) throw badRequest(`field label not supported: ${f.path}`);
  throw badRequest(
    fieldLabels[resource.storage] === undefined
      ? `"${f.path}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${f.path}`,
  );
}

/** GET of one object. */
export async function get(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const object = api.convert(resource, api.get(resource, path.namespace ?? "", path.name ?? ""));
  await send(x, 200, present(x, resource, object));
}

/** One object as the Accept header wants it. */
export function present(x: Exchange, resource: Resource, object: KubeObject): unknown {
  switch (x.accepted.as) {
    case "Table":
      return {
        ...tableHead(resource, { resourceVersion: object.metadata.resourceVersion }, x.accepted.version),
        rows: rowsOf(resource, [object], includeObject(x)),
      };
    case "PartialObjectMetadata":
      return partial(object, x.accepted.version);
    default:
      return object;
  }
}

/** What each row of a table carries of its object. */
export function includeObject(x: Exchange): string {
  return x.url.searchParams.get("includeObject") ?? "Metadata";
}

interface Page {
  readonly at: number;
  readonly limit: number;
  after: { namespace: string; name: string } | undefined;
}

/** GET of a collection. */
export async function list(api: Api, x: Exchange, resource: Resource, path: ResourcePath): Promise<void> {
  const filter = filterOf(x, resource, path);
  const page = startOf(api, x);
  const namespace = path.namespace === undefined ? {} : { namespace: path.namespace };
  const out = new Writer(api, x, resource);
  let left = page.limit;
  // Lists of custom resources always carry the token, even when there is none.
  let meta: Record<string, unknown> = {
    ...(resource.custom && x.accepted.as === undefined && { continue: "" }),
    resourceVersion: String(page.at),
  };
  for (;;) {
    const rows = read(() =>
      api.store.list({
        resource: resource.storage,
        ...namespace,
        ...(page.after && { after: page.after }),
        at: page.at,
        limit: Math.min(pageRows, filter.all ? left + 1 : pageRows),
      }),
    );
    const full = rows.length === Math.min(pageRows, filter.all ? left + 1 : pageRows);
    const taken = take(rows, filter, left);
    left -= taken.rows.length;
    if (taken.last) page.after = { namespace: taken.last.namespace, name: taken.last.name };
    if (taken.more) {
      meta = { ...meta, ...continuation(api, page, filter, resource, namespace) };
    }
    await out.rows(taken.rows);
    if (taken.more || !full) break;
  }
  await out.end(meta);
}

function read(rows: () => Row[]): Row[] {
  try {
    return rows();
  } catch (error) {
    if (!(error instanceof Compacted)) throw error;
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.",
    );
  }
}

/** As many matching rows as may still be given, and whether more rows follow the last one looked at. */
function take(
  rows: readonly Row[],
  filter: Filter,
  left: number,
): { rows: Row[]; more: boolean; last: Row | undefined } {
  const out: Row[] = [];
  let last: Row | undefined;
  for (const row of rows) {
    if (filter.all || filter.matches(parse(row.value))) {
      if (out.length === left) return { rows: out, more: true, last };
      out.push(row);
    }
    last = row;
  }
  return { rows: out, more: false, last };
}

function continuation(
  api: Api,
  page: Page,
  filter: Filter,
  resource: Resource,
  namespace: { namespace?: string },
): Record<string, unknown> {
  const { after } = page;
  const token = JSON.stringify({
    v: "meta.k8s.io/v1",
    rv: page.at,
    start: `${after?.namespace}/${after?.name}\u0000`,
  });
  const remaining = filter.all
    ? api.store.count({ resource: resource.storage, ...namespace, ...(after && { after }) })
    : 0;
  return {
    continue: Buffer.from(token).toString("base64url"),
    ...(remaining > 0 && { remainingItemCount: remaining }),
  };
}

function startOf(api: Api, x: Exchange): Page {
  const limit = wholeNumber(x, "limit") ?? 0;
  const token = x.url.searchParams.get("continue") ?? "";
  const match = x.url.searchParams.get("resourceVersionMatch") ?? "";
  const page = { limit: limit > 0 ? limit : Number.MAX_SAFE_INTEGER, after: undefined };
  const version = versionOf(x);
  if (token !== "") {
    if (version !== undefined && version !== 0) {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    return { ...page, ...parseToken(token) };
  }
  checkMatch(match, version, limit);
  if (version !== undefined && version > api.store.rev) throw tooLarge(version, api.store.rev);
  if (version !== undefined && match === "Exact") {
    if (version < api.store.compacted) throw expired("The resourceVersion for the provided list is too old.");
    return { ...page, at: version };
  }
  return { ...page, at: api.store.rev };
}

function checkMatch(match: string, version: number | undefined, _limit: number): void {
  if (match === "") return;
  const refuse = (why: string): never => {
    throw badRequest(`resourceVersionMatch: ${why}`);
  };
  if (match !== "Exact" && match !== "NotOlderThan") {
    refuse(`Unsupported value: "${match}": supported values: "Exact", "NotOlderThan"`);
  }
  if (version === undefined)
    refuse("Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided");
  if (match === "Exact" && version === 0) {
    refuse('Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
}

/** The resourceVersion of a query; a 400 when it is not one of ours. */
export function versionOf(x: Exchange): number | undefined {
  const text = x.url.searchParams.get("resourceVersion");
  if (text === null || text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}

function tooLarge(version: number, current: number): ApiError {
  return new ApiError(
    504,
    "Timeout",
    `Timeout: Too large resource version: ${version}, current: ${current}`,
    {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version", field: "" }],
      retryAfterSeconds: 1,
    },
  );
}

function parseToken(token: string): { at: number; after: { namespace: string; name: string } } {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, "base64url").toString()) as {
      rv: number;
      start: string;
    };
    const [namespace = "", name = ""] = start.replace(/\0$/, "").split("/");
    if (!Number.isInteger(rv)) throw new Error("no version");
    return { at: rv, after: { namespace, name } };
  } catch {
    throw badRequest(
      "invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
    );
  }
}

/** Writes a list piece by piece: small ones in one write with their length, large ones as a stream with backpressure. */
class Writer {
  readonly #api: Api;
  readonly #x: Exchange;
  readonly #resource: Resource;
  readonly #prefix: number;
  #held = "";
  #first = true;
  #streams = false;

  constructor(api: Api, x: Exchange, resource: Resource) {
    this.#api = api;
    this.#x = x;
    this.#resource = resource;
    const head = `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",`;
    // Items of built-in kinds carry no kind of their own.
    this.#prefix = resource.custom ? 0 : head.length;
  }

  async rows(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const text = this.#items(rows);
    this.#held += this.#first ? text : `,${text}`;
    this.#first = false;
    if (this.#held.length < 512 * 1024 || this.#x.accepted.media === "yaml") return;
    await this.#flush();
  }

  async end(meta: Record<string, unknown>): Promise<void> {
    // The metadata comes last: only then is it known where the list goes on.
    const tail = `],"metadata":${JSON.stringify(meta)}}`;
    if (!this.#streams) {
      await send(this.#x, 200, `${this.#head()}${this.#held}${tail}`);
      return;
    }
    this.#x.response.end(`${this.#held}${tail}\n`);
  }

  #head(): string {
    const { as, version } = this.#x.accepted;
    if (as === "Table")
      return `${JSON.stringify(tableHead(this.#resource, undefined, version)).slice(0, -1)},"rows":[`;
    if (as?.startsWith("Partial")) {
      return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version ?? "v1"}","items":[`;
    }
    return `{"kind":"${this.#resource.listKind}","apiVersion":"${apiVersionOf(this.#resource)}","items":[`;
  }

  #items(rows: readonly Row[]): string {
    const { as, version } = this.#x.accepted;
    if (as === undefined && this.#api.isVerbatim(this.#resource)) {
      if (this.#prefix === 0) return rows.map((row) => row.value).join(",");
      return rows.map((row) => `{${row.value.slice(this.#prefix)}`).join(",");
    }
    const objects = rows.map((row) => this.#api.convert(this.#resource, parse(row.value)));
    if (as === "Table")
      return JSON.stringify(rowsOf(this.#resource, objects, includeObject(this.#x))).slice(1, -1);
    if (as?.startsWith("Partial"))
      return JSON.stringify(objects.map((o) => partial(o, version))).slice(1, -1);
    const bare = this.#resource.custom
      ? objects
      : objects.map(({ kind: _k, apiVersion: _v, ...rest }) => rest);
    return JSON.stringify(bare).slice(1, -1);
  }

  async #flush(): Promise<void> {
    const { response, signal } = this.#x;
    if (!this.#streams) {
      this.#streams = true;
      response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
      this.#held = this.#head() + this.#held;
    }
    const flowing = response.write(this.#held);
    this.#held = "";
    if (flowing || signal.aborted) return;
    await new Promise<void>((done) => {
      response.once("drain", done);
      response.once("close", done);
    });
  }
}
