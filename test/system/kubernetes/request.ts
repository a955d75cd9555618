// Raw HTTP against the embedded API server, or against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1:
// these suites test the server, so they do not use our own client.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { type Plane, startPlane } from "../../../packages/plane/index.ts";

/** An answer, its JSON body parsed (text when it is not JSON). */
export interface Answer {
  readonly code: number;
  // biome-ignore lint: a body is whatever the server says
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A JSON value whose shape the test asserts. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any;

export interface Options {
  readonly type?: string;
  readonly accept?: string;
  readonly token?: string;
}

/** A server under test. */
export interface Target {
  readonly embedded: boolean;
  readonly plane?: Plane;
  call(method: string, path: string, body?: unknown, options?: Options): Promise<Answer>;
  /** Lines of a watch until `enough` says so or the server ends it. */
  watch(path: string, enough: (events: Body[]) => boolean, options?: Options): Promise<Body[]>;
  close(): Promise<void>;
}

/** Opens the embedded cluster (in a folder of its own), or the real one. */
export async function openTarget(options: { node?: boolean } = {}): Promise<Target> {
  if (process.env["HEADWAY_TEST_CLUSTER"] === "1") return real(process.env["KUBECONFIG"] ?? "");
  return embedded(options);
}

/** The embedded cluster. */
export async function embedded(options: { node?: boolean } = {}): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "plane-"));
  const plane = await startPlane({ stateDir: folder, node: options.node ?? false });
  const target = over(new URL(plane.url), { ca: plane.ca }, plane.token);
  return {
    ...target,
    embedded: true,
    plane,
    async close() {
      await target.close();
      await plane.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The cluster of a kubeconfig's current context, by client certificate or token. */
export function real(kubeconfig: string): Target {
  const config: Body = parse(readFileSync(kubeconfig, "utf8"));
  const named = (list: Body[], name: string): Body => list.find((item) => item.name === name);
  const context = named(config.contexts, config["current-context"]).context;
  const cluster = named(config.clusters, context.cluster).cluster;
  const user = named(config.users, context.user).user;
  const pem = (data: string | undefined): string | undefined =>
    data === undefined ? undefined : Buffer.from(data, "base64").toString();
  const ca = pem(cluster["certificate-authority-data"]);
  const [cert, key] = [pem(user["client-certificate-data"]), pem(user["client-key-data"])];
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return { ...over(new URL(cluster.server), tls, user.token), embedded: false };
}

function over(
  base: URL,
  tls: { ca?: string; cert?: string; key?: string },
  token: string | undefined,
): Omit<Target, "embedded"> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32, ...tls });
  const start = (method: string, path: string, options: Options): ReturnType<typeof httpsRequest> => {
    const bearer = options.token ?? token;
    return httpsRequest(new URL(path, base), {
      method,
      agent,
      ...tls,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        "content-type": options.type ?? "application/json",
        ...(options.accept !== undefined && { accept: options.accept }),
      },
    });
  };
  const call: Target["call"] = (method, path, body, options = {}) =>
    new Promise((done, fail) => {
      const req = start(method, path, options);
      const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
      // Node sends a DELETE with a body without saying how long it is.
      if (body !== undefined) req.setHeader("content-length", Buffer.byteLength(text));
      req.on("error", fail);
      req.on("response", (res) => {
        const chunks: Buffer[] = [];
        res.on("data", (chunk: Buffer) => void chunks.push(chunk));
        res.on("end", () => {
          const said = Buffer.concat(chunks).toString();
          done({ code: res.statusCode ?? 0, body: json(said), headers: res.headers, text: said });
        });
      });
      req.end(text);
    });
  const watch: Target["watch"] = (path, enough, options = {}) =>
    new Promise((done, fail) => {
      const req = start("GET", path, options);
      const events: Body[] = [];
      req.on("error", fail);
      req.on("response", (res) => {
        let tail = "";
        const finish = (): void => {
          req.destroy();
          done(events);
        };
        res.on("data", (chunk: Buffer) => {
          const lines = (tail + chunk.toString()).split("\n");
          tail = lines.pop() ?? "";
          for (const line of lines) events.push(json(line));
          if (enough(events)) finish();
        });
        res.on("end", finish);
        res.on("error", () => undefined); // our own destroy
      });
      req.end();
    });
  return { call, watch, close: async () => agent.destroy() };
}

function json(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Asks again until the answer satisfies; the test's own timeout is the limit. */
export async function until<T>(ask: () => Promise<T>, satisfied: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask();
    if (satisfied(value)) return value;
    await new Promise((again) => setTimeout(again, 30));
  }
}
